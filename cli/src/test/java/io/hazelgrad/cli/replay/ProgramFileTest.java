package io.hazelgrad.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a file is said in one line, with its place. */
final class ProgramFileTest {
  @TempDir private Path folder;

  private List<Scenario> read(String json) throws IOException {
    return ProgramFile.read(Files.writeString(folder.resolve("programs.json"), json));
  }

  private static String program(String steps) {
    return "{\"scenarios\": [{\"name\": \"s1\", \"workers\": [\"A\", \"B\"], \"leaves\":"
        + " {\"A\": {\"x\": {\"shape\": [1], \"dtype\": \"float64\", \"data\": [\"NaN\"]}}},"
        + " \"program\": ["
        + steps
        + "]}]}";
  }

  @Test
  void readsWorkersAndLeaves() throws IOException {
    Scenario scenario =
        read(program("{'do': 'rref', 'value': 'x', 'out': 'r'}".replace('\'', '"'))).get(0);
    assertThat(scenario.name()).isEqualTo("s1");
    assertThat(scenario.workers()).containsExactly("A", "B");
    assertThat(scenario.first()).isEqualTo("A");
    assertThat(scenario.leaves().get("A")).contains("\"NaN\"");
  }

  @Test
  void missingFile() {
    assertThatThrownBy(() -> ProgramFile.read(folder.resolve("none.json")))
        .isInstanceOf(BadProgramException.class)
        .hasMessage("no such file");
  }

  @Test
  void malformedJson() {
    assertThatThrownBy(() -> read("{\"scenarios\": ["))
        .isInstanceOf(BadProgramException.class)
        .hasMessageStartingWith("malformed JSON in line 1, column ")
        .hasMessageNotContaining("REDACTED");
    assertThatThrownBy(() -> read("{\"scenarios\": []} {}"))
        .hasMessageStartingWith("malformed JSON");
    assertThatThrownBy(() -> read("{}")).hasMessage("the file: \"scenarios\" is missing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'do': 'jump'} | [0]: 'do' is an unknown step: 'jump'
          {} | [0]: 'do' is missing
          7 | [0]: must be an object, is 7
          {'do': 'op', 'op': 'add', 'inputs': ['x']} | [0]: 'out' is missing
          {'do': 'op', 'op': 'add', 'inputs': 'x', 'out': 'y'} | [0]: 'inputs' must be a list, is 'x'
          {'do': 'context', 'steps': [{'do': 'hop'}]} | [0].steps[0]: 'do' is an unknown step: 'hop'
          {'do': 'parallel', 'branches': [[], [{'do': 'hop'}]]} \
          | [0].branches[1][0]: 'do' is an unknown step: 'hop'
          {'do': 'call', 'to': 'B', 'inputs': [], 'out': 'y'} \
          | [0]: 'op' or 'body' must be there, and not both
          {'do': 'call', 'to': 'B', 'params': [], 'inputs': ['x'], 'body': [], 'return': 'p', 'out': 'y'} \
          | [0]: 'params' are 0, but inputs are 1
          """)
  void wrongStepIsNamed(String step, String reason) {
    assertThatThrownBy(() -> read(program(step.replace('\'', '"'))))
        .isInstanceOf(BadProgramException.class)
        .hasMessage("scenario \"s1\", step program" + reason.replace('\'', '"'));
  }

  @Test
  void destinationThatIsNoWorker() {
    String step = "{'do': 'remote', 'to': 'Z', 'op': 'neg', 'inputs': ['x'], 'out': 'r'}";
    assertThatThrownBy(() -> read(program(step.replace('\'', '"'))))
        .hasMessage("scenario \"s1\": \"workers\" lacks \"Z\", which the scenario uses");
  }

  @Test
  void sameNameTwice() {
    String one = "{\"name\": \"s\", \"workers\": [\"A\"], \"program\": []}";
    assertThatThrownBy(() -> read("{\"scenarios\": [" + one + ", " + one + "]}"))
        .hasMessage("two scenarios are named \"s\"");
  }
}
