package io.hazelgrad.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The flags without which a worker would harm itself. */
class JvmFlagsTest {
  @Test
  void collectionsThatWorkersAskForRunBesideTheirThreads() throws IOException {
    assertThat(Files.readAllLines(MemberSettings.home().resolve("jvm.flags")))
        .contains("-XX:+ExplicitGCInvokesConcurrent");
  }
}
