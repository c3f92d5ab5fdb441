package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command as scripts use it; its workers are JVMs. */
final class DigitsCommandTest {
  private final StringWriter out = new StringWriter();

  private int run(String... args) {
    return new CommandLine(new DigitsCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(new StringWriter()))
        .execute(args);
  }

  @Test
  void lastLineIsTheResult() throws Exception {
    assertThat(run("--workers", "2", "--epochs", "1", "--json")).isZero();
    List<String> lines = out.toString().lines().toList();
    JsonNode result = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    assertThat(result.fieldNames())
        .toIterable()
        .containsExactly("accuracy", "steps", "seconds", "workers", "rrefs_left", "contexts_left");
    assertThat(result.get("accuracy").doubleValue()).isBetween(0.8, 1.0);
    assertThat(result.get("steps").intValue()).isEqualTo(45);
    assertThat(result.get("seconds").doubleValue()).isPositive();
    assertThat(result.get("workers").intValue()).isEqualTo(2);
    assertThat(result.get("rrefs_left").intValue()).isZero();
    assertThat(result.get("contexts_left").intValue()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--workers=0", "--workers=17", "--workers=x", "--epochs=0", "--epochs=-1", "more"})
  void wrongArguments(String argument) {
    assertThat(run(argument)).isEqualTo(Main.BAD_INPUT);
    assertThat(out.toString()).isEmpty();
  }
}
