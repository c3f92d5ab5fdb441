package io.hazelgrad.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Tests of the command {@code bench} as part of {@code hazelgrad}. */
class BenchCommandTest {
  @Test
  void unknownGroupIsRefusedWithTheKnownOnes() {
    StringWriter err = new StringWriter();
    int code = Main.run(new PrintWriter(err, true), "bench", "dance");
    assertThat(err.toString().lines()).singleElement().asString().contains("rref, memory");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void commandsComeInTheOrderOfTheHelpText() {
    assertThat(Main.commandLine().getSubcommands().keySet())
        .containsExactly(
            "member",
            "archive",
            "status",
            "jobs",
            "why",
            "force-leave",
            "dashboard",
            "trace",
            "replay",
            "replay-ops",
            "replay-training",
            "export",
            "demo",
            "bench");
  }
}
