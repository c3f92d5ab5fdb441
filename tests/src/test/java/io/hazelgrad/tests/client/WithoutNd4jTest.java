package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.testkit.Leftovers;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a client in a JVM without ND4J's native libraries. */
@ExtendWith(Leftovers.class)
@EnabledOnOs(OS.LINUX) // On systems that list the libraries of a process.
class WithoutNd4jTest extends ClientTestBase {
  /** Libraries of ND4J's native backend and of its native dependencies. */
  private static final Pattern NATIVE =
      Pattern.compile(
          "nd4j-native.*|nd4j-cpu-backend.*|openblas.*|javacpp-.*-(linux|macosx|win).*");

  /** All libraries of ND4J, and those that only ND4J uses. */
  private static final Pattern ANY =
      Pattern.compile("nd4j.*|openblas.*|javacpp.*|jackson-.*nd4j.*");

  private static List<String> classPathWithout(Pattern names) {
    List<String> all =
        Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    List<String> kept = all.stream().filter(entry -> !isOf(entry, names)).toList();
    assertThat(kept).as("what is left of the class path").hasSizeLessThan(all.size());
    return List.of("-cp", String.join(File.pathSeparator, kept));
  }

  private static boolean isOf(String entry, Pattern names) {
    return names.matcher(Path.of(entry).getFileName().toString()).matches();
  }

  @Test
  void clientWorksWithoutNativeLibraries() throws Exception {
    String endpoint = cluster.processes().worker("A").clientEndpoint();
    try (ClientJvm client = new ClientJvm(clusterName(), endpoint, classPathWithout(NATIVE))) {
      assertThat(client.tell("runs B nothing")).isEqualTo("0");
      assertThat(client.tell("twice B 10")).isEqualTo("10 of 10");
      assertThat(client.tell("twice A 1000000")).isEqualTo("1000000 of 1000000");
      assertThat(client.tell("make B 3")).isEqualTo("made");
      assertThat(client.tell("label")).isEqualTo("shelf 2");
      assertThat(client.tell("sum A 1000")).isEqualTo("2.0 of 1000");
      assertThat(client.tell("close")).isEqualTo("closed");
      assertThat(client.tell("nd4j")).isEqualTo("none");
      assertThat(client.tell("use-nd4j")).as("what uses ND4J in this JVM").isEqualTo("failed");
      assertThat(client.tell("runs B nothing")).isEqualTo("0");
    }
  }

  /**
   * Large operations need ND4J. Each fails with the same advice, and everything else continues to
   * work.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("slow")
  void operationFailsWithAdviceWhenNd4jIsAbsent(boolean alsoWithoutItsClasses) throws Exception {
    List<String> classPath =
        alsoWithoutItsClasses ? classPathWithout(ANY) : classPathWithout(NATIVE);
    String endpoint = cluster.processes().worker("A").clientEndpoint();
    try (ClientJvm client = new ClientJvm(clusterName(), endpoint, classPath)) {
      assertThat(client.tell("compute small")).isEqualTo("small of 64 elements");
      for (String what :
          List.of("matmul", "linear", "conv1d", "conv2d", "attention", "lstm", "gru")) {
        for (int i = 0; i < 2; i++) { // The first failure to load a class is a different error.
          assertThat(client.tell("compute " + what))
              .as(what)
              .startsWith("BAD_CONFIG: ")
              .contains("a product of matrices of", "needs ND4J", "org.nd4j:nd4j-native");
        }
      }
      if (!alsoWithoutItsClasses) { // Without it the application does not compile.
        assertThat(client.tell("compute array"))
            .startsWith("BAD_CONFIG: ")
            .contains("Tensor.toArray() needs ND4J");
      }
      assertThat(client.tell("twice B 10")).isEqualTo("10 of 10");
      assertThat(client.tell("record A B")).isEqualTo("recorded");
    }
  }

  @Test
  @Tag("slow")
  void operationRunsWhenNd4jIsPresent() throws Exception {
    try (ClientJvm client = client()) {
      for (String what : List.of("matmul", "conv2d", "attention", "lstm", "array")) {
        assertThat(client.tell("compute " + what)).startsWith(what + " of ");
      }
    }
  }

  /** The same query finds the libraries after ND4J was used. */
  @Test
  @Tag("slow")
  void librariesAreSeenWhenNd4jIsUsed() throws Exception {
    try (ClientJvm client = client()) {
      assertThat(client.tell("twice B 10")).isEqualTo("10 of 10");
      assertThat(client.tell("nd4j")).isEqualTo("none");
      assertThat(client.tell("use-nd4j")).isEqualTo("made 2");
      assertThat(client.tell("nd4j")).contains("nd4jcpu");
    }
  }
}
