package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.cli.replay.OperationCase;
import io.hazelgrad.cli.replay.ProgramFile;
import io.hazelgrad.launcher.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations of a file, and what is printed of them. */
class ReplayOpsCommandTest {
  private static final String VECTOR = "{\"shape\":[2],\"dtype\":\"float64\",\"data\":[%s]}";

  @TempDir private Path folder;

  @Test
  void lineHasOutputsAndGradients() throws IOException {
    JsonNode line =
        replay(
            "max",
            "\"dim\":[0],\"keepdim\":false",
            "\"a\":" + VECTOR.formatted("1,\"Infinity\""),
            "{\"shape\":[],\"dtype\":\"float64\",\"data\":[3]}");

    assertThat(line)
        .isEqualTo(
            tree(
                "{'op':'max','case':'x','dtype':'float64',"
                    + "'output':{'shape':[],'dtype':'float64','data':['Infinity']},"
                    + "'aux':{'indices':{'shape':[],'dtype':'int64','data':[1]}},"
                    + "'grads':{'a':{'shape':[2],'dtype':'float64','data':[0.0,3.0]}}}"));
  }

  @Test
  void inputMayBeUsedTwiceAndConstantHasNoGradient() throws IOException {
    JsonNode square =
        replay("mul", "\"second_input\":\"a\"", "\"a\":" + VECTOR.formatted("3,4"), ones());
    assertThat(square.at("/grads/a/data")).isEqualTo(tree("[6.0,8.0]"));

    JsonNode scaled =
        replay(
            "dropout",
            "\"p\":0.5,\"formula\":\"a * mask / (1 - p)\",\"constant\":[\"mask\"]",
            "\"a\":" + VECTOR.formatted("3,4") + ",\"mask\":" + VECTOR.formatted("0,1"),
            ones());
    assertThat(scaled.at("/output/data")).isEqualTo(tree("[0.0,8.0]"));
    assertThat(scaled.get("grads")).hasSize(1);
  }

  @Test
  void nullAttributeHasDefaultAndWordMayBeNumber() throws IOException {
    JsonNode norm =
        replay("norm", "\"p\":\"Infinity\",\"dim\":null", "\"a\":" + VECTOR.formatted("3,-4"), "");

    assertThat(norm.at("/output/data")).isEqualTo(tree("[4.0]"));
    assertThat(norm.has("grads")).isFalse();
  }

  @Test
  void failedCaseHasItsErrorAndOthersRun() throws IOException {
    String bad = one("clamp", "", "\"a\":" + VECTOR.formatted("1,2"), "");
    String unknown = one("clam", "", "\"a\":" + VECTOR.formatted("1,2"), "");
    String short1 = one("neg", "", "\"a\":" + VECTOR.formatted("1"), "");
    String good = one("neg", "", "\"a\":" + VECTOR.formatted("1,2"), "");
    List<OperationCase> cases =
        ProgramFile.readCases(file(String.join(",", bad, unknown, short1, good)));

    assertThat(cases)
        .extracting(OperationCase::run)
        .satisfiesExactly(
            line -> assertThat(line).contains("BAD_ARGUMENT: clamp: needs a min or a max"),
            line -> assertThat(line).contains("UNKNOWN_FUNCTION"),
            line -> assertThat(line).contains("\"error\":").contains("data"),
            line -> assertThat(line).contains("[-1.0,-2.0]"));
  }

  @Test
  void fileIsRefusedByNameWhenFormIsWrong() throws IOException {
    Path file = Files.writeString(folder.resolve("other.json"), "{\"scenarios\": []}");
    StringWriter err = new StringWriter();

    int code = Main.run(new PrintWriter(err, true), "replay-ops", file.toString());

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("other.json").contains("\"cases\" is missing");
  }

  private JsonNode replay(String op, String attributes, String inputs, String upstream)
      throws IOException {
    Path file = file(one(op, attributes, inputs, upstream));
    return new ObjectMapper().readTree(ProgramFile.readCases(file).get(0).run());
  }

  private static String one(String op, String attributes, String inputs, String upstream) {
    return "{\"op\":\""
        + op
        + "\",\"case\":\"x\",\"dtype\":\"float64\",\"attrs\":{"
        + attributes
        + "},\"inputs\":{"
        + inputs
        + "}"
        + (upstream.isEmpty() ? "" : ",\"grad_output\":" + upstream)
        + "}";
  }

  private static String ones() {
    return VECTOR.formatted("1,1");
  }

  private Path file(String cases) throws IOException {
    return Files.writeString(folder.resolve("cases.json"), "{\"cases\": [" + cases + "]}");
  }

  private static JsonNode tree(String json) throws IOException {
    return new ObjectMapper().readTree(json.replace('\'', '"'));
  }
}
