package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.tests.Leftovers;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client needs no native library: it works in a JVM that has none of ND4J's. */
@ExtendWith(Leftovers.class)
@EnabledOnOs(OS.LINUX) // Where the system tells which libraries a process has.
class WithoutNd4jTest extends ClientStories {
  /** The backend, and the native libraries of it and of what it uses. */
  private static final Pattern NATIVE =
      Pattern.compile(
          "nd4j-native.*|nd4j-cpu-backend.*|openblas.*|javacpp-.*-(linux|macosx|win).*");

  private static String classPathWithoutNatives() {
    List<String> all =
        Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    List<String> kept = all.stream().filter(entry -> !isNative(entry)).toList();
    assertThat(kept).as("what is left of the class path").hasSizeLessThan(all.size());
    return String.join(File.pathSeparator, kept);
  }

  private static boolean isNative(String entry) {
    return NATIVE.matcher(Path.of(entry).getFileName().toString()).matches();
  }

  private static String tell(ClientJvm client, String command) throws Exception {
    return client.ask(command).get(60, TimeUnit.SECONDS);
  }

  @Test
  void aClientCallsHoldsReferencesAndPassesTensorsWithoutNativeLibraries() throws Exception {
    String endpoint = cluster.processes().clientEndpoint("A");
    try (ClientJvm client = new ClientJvm(clusterName(), endpoint, classPathWithoutNatives())) {
      assertThat(tell(client, "runs B nothing")).isEqualTo("0");
      assertThat(tell(client, "twice B 10")).isEqualTo("10 of 10");
      assertThat(tell(client, "twice A 1000000")).isEqualTo("1000000 of 1000000");
      assertThat(tell(client, "make B 3")).isEqualTo("made");
      assertThat(tell(client, "label")).isEqualTo("shelf 2");
      assertThat(tell(client, "sum A 1000")).isEqualTo("2.0 of 1000");
      assertThat(tell(client, "close")).isEqualTo("closed");
      assertThat(tell(client, "nd4j")).isEqualTo("none");
      assertThat(tell(client, "use-nd4j")).as("what uses ND4J in this JVM").isEqualTo("failed");
      assertThat(tell(client, "runs B nothing")).isEqualTo("0");
    }
  }

  /** The same question finds the libraries where they are used. */
  @Test
  void whereNd4jIsUsedItsLibrariesAreSeen() throws Exception {
    try (ClientJvm client = client()) {
      assertThat(tell(client, "twice B 10")).isEqualTo("10 of 10");
      assertThat(tell(client, "nd4j")).isEqualTo("none");
      assertThat(tell(client, "use-nd4j")).isEqualTo("made 2");
      assertThat(tell(client, "nd4j")).contains("nd4jcpu");
    }
  }
}
