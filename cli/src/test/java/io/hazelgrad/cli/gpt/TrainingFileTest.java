package io.hazelgrad.cli.gpt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The trainings of a file: the values by its formulas, and what is refused with its place. */
class TrainingFileTest {
  private static final CharTransformer.Shape SHAPE = new CharTransformer.Shape(128, 4, 1, 2, 4);
  private static final String CONFIG =
      "'vocab':128,'block':4,'layers':1,'heads':2,'width':4,'batch':4,'micro':2,'stride':3,'steps':1";
  private static final String SGD = "'kind':'sgd','lr':0.1";
  private static final String TEXT = "abcdefghij";

  @TempDir private Path folder;

  @Test
  void caseHasItsNumbersAndItsOptimizer() throws IOException {
    TrainingCase training = training(CONFIG, SGD + ",'momentum':0.9,'nesterov':true", TEXT);

    assertThat(training.shape()).isEqualTo(SHAPE);
    assertThat(training.batches()).isEqualTo(new TextBatches(TEXT, 4, 4, 3));
    assertThat(training.micro()).isEqualTo(2);
    assertThat(training.steps()).isOne();
    assertThat(training.optimizer()).isEqualTo(Sgd.of(0.1).withMomentum(0.9).withNesterov(true));
  }

  @Test
  void adamWHasTheDefaultsOfTorchWhenOptionsAreMissing() throws IOException {
    assertThat(optimizer("'kind':'adamw'")).isEqualTo(AdamW.defaults());
    assertThat(optimizer("'kind':'adamw','lr':0.1,'betas':[0.5,0.6],'eps':1e-3,'weight_decay':0.2"))
        .isEqualTo(new AdamW(0.1, 0.5, 0.6, 1e-3, 0.2, false, false));
  }

  private Optimizer optimizer(String json) throws IOException {
    return training(CONFIG, json, TEXT).optimizer();
  }

  @Test
  void initialValuesFollowTheFormula() throws IOException {
    CharTransformer model = new CharTransformer(SHAPE, Init.seeded(1));
    training(CONFIG, SGD, TEXT).initial().load(model);

    float[] head = model.state().get("head.weight").toFloats();
    int place = List.copyOf(model.state().keySet()).indexOf("head.weight");
    double mixed = (3 * 2_654_435_761L + (place + 1) * 40_503L) % (1L << 32);
    assertThat(head[2]).isEqualTo((float) (mixed / (1L << 32) * 2 * 0.5 - 0.5));
    assertThat(model.state().get("norm.weight").toFloats()).containsOnly(1);
    assertThat(model.state().get("norm.bias").toFloats()).containsOnly(0);
  }

  @Test
  void rowsOfBatchBeginByStrideAndTargetsFollow() {
    TextBatches batches = new TextBatches(TEXT, 4, 4, 3);

    // Row 2 of step 1 is row 6 of all: it begins at 18 modulo 10 - 4 - 1.
    TextBatches.Batch batch = batches.batch(1, 2, 4);

    assertThat(batch.ids().shape()).containsExactly(2, 4);
    assertThat(batch.ids().toLongs()).containsExactly('d', 'e', 'f', 'g', 'b', 'c', 'd', 'e');
    assertThat(batch.targets().toLongs()).containsExactly('e', 'f', 'g', 'h', 'c', 'd', 'e', 'f');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'batch':4 | 'batch':5 | micro=2 must divide batch=5",
        "'heads':2 | 'heads':3 | heads=3 must divide width=4",
        "'steps':1 | 'steps':'many' | \"steps\" must be an integer of at least 0, is \"many\"",
        "'block':4 | 'block':9 | a text of 10 characters is too short for block=9",
        "'micro':2 | 'micro':null | \"micro\" is missing",
        "'kind':'sgd' | 'kind':'lion' | \"kind\" must be sgd or adamw, is lion",
        "'lr':0.1 | 'lr':-1 | learningRate=-1.0",
        "'lr':0.1 | 'lr':0.1,'amsgrad':true | \"amsgrad\" is no option of this kind",
        "abcdefghij | abcédefghij | the text has character 233 at place 3",
        "'head.weight' | 'tail.weight' | has tail.weight, unknown",
        "[128,4] | [128,3] | has token.weight of shape [128, 3], but the model needs [128, 4]",
        "'init':0.5 | 'init':'twos' | \"init\" must be zeros, ones or a number, is twos"
      })
  void caseIsRefusedByNameWhenPartIsWrong(String part, String wrong, String reason)
      throws IOException {
    String json = json(CONFIG, SGD, TEXT);
    String from = part.replace('\'', '"');
    TrainingFile file = file(json.replace(from, wrong.replace('\'', '"')));

    assertThat(json).contains(from);
    assertThatThrownBy(() -> TrainingCase.read(file.cases().get(0), file.text()))
        .isInstanceOf(BadProgramException.class)
        .hasMessageStartingWith("case \"a\"")
        .hasMessageContaining(reason);
  }

  @Test
  void caseIsRefusedWhenModelLacksCharacterOfText() {
    CharTransformer.Shape small = new CharTransformer.Shape(100, 4, 1, 2, 4);
    TextBatches batches = new TextBatches(TEXT, 4, 4, 3);
    InitialValues none = new InitialValues(List.of());

    assertThatThrownBy(() -> new TrainingCase(small, batches, 2, 1, Sgd.of(0.1), none, Device.CPU))
        .isInstanceOf(GridException.class)
        .hasMessage("vocab=100 lacks character 106 of the text");
  }

  @Test
  void fileIsRefusedWhenTwoCasesHaveOneName() {
    assertThatThrownBy(
            () -> file("{\"text\": \"abc\", \"cases\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}"))
        .isInstanceOf(BadProgramException.class)
        .hasMessage("two cases are named \"a\"");
  }

  private TrainingCase training(String config, String optimizer, String text) throws IOException {
    TrainingFile file = file(json(config, optimizer, text));
    return TrainingCase.read(file.cases().get(0), file.text());
  }

  private TrainingFile file(String json) throws IOException {
    return TrainingFile.read(Files.writeString(folder.resolve("gpt.json"), json));
  }

  private static String json(String config, String optimizer, String text) {
    String parameters =
        new CharTransformer(SHAPE, Init.seeded(0))
            .state().entrySet().stream()
                .map(
                    each ->
                        "{'name':'%s','shape':%s,'init':%s}"
                            .formatted(each.getKey(), shape(each), init(each.getKey())))
                .collect(Collectors.joining(","));
    return "{'text':'%s','cases':[{'name':'a','config':{%s},'optimizer':{%s},'parameters':[%s]}]}"
        .formatted(text, config, optimizer, parameters)
        .replace('\'', '"');
  }

  private static String shape(Map.Entry<String, Tensor> parameter) {
    return Arrays.toString(parameter.getValue().shape()).replace(" ", "");
  }

  private static String init(String name) {
    if (name.contains("norm") && name.endsWith("weight")) {
      return "'ones'";
    }
    return name.endsWith("bias") ? "'zeros'" : "0.5";
  }
}
