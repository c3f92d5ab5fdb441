package io.hazelgrad.cli.gpt;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.onnx.OnnxExport;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.cli.OnnxComparison;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.grid.Tensor;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transformers of torch's recorded trainings give the same scores in ONNX Runtime. */
final class OnnxTransformerTest {
  @TempDir private Path folder;

  private TrainingFile golden() throws Exception {
    Path packed =
        Path.of(System.getProperty("hazelgrad.home"))
            .resolve("tests/src/test/resources/golden/gpt.json.gz");
    Path file = folder.resolve("gpt.json");
    try (InputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
      Files.write(file, in.readAllBytes());
    }
    return TrainingFile.read(file);
  }

  @Test
  void transformerOfEachCaseGivesTheSameScores() throws Exception {
    TrainingFile file = golden();
    assertThat(file.cases()).hasSize(6);
    for (JsonFields fields : file.cases()) {
      TrainingCase each = TrainingCase.read(fields, file.text());
      CharTransformer model = new CharTransformer(each.shape(), Init.seeded(0));
      each.initial().load(model);
      model.eval();
      OnnxModel exported = OnnxExport.of(model, each.batches().batch(0, 0, 2).ids()).toModel();
      assertThat(exported.parameters()).containsOnlyKeys(model.state().keySet());
      Tensor ids = each.batches().batch(1, 0, 3).ids();
      Tensor scores = NoGrad.within(() -> model.forward(Variable.of(ids))).value();
      OnnxComparison.requireScores(exported, ids, scores);
    }
  }
}
