package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.cli.ElasticSession;
import io.hazelgrad.cli.gpt.Parallelism;
import io.hazelgrad.cli.gpt.TrainingFile;
import io.hazelgrad.cli.gpt.TrainingReplay;
import io.hazelgrad.grid.Device;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.testkit.InProcessGrids;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainings with losses computed by torch, run on workers. */
final class ReplayTrainingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int STEPS = 12;

  @TempDir private Path folder;

  @Test
  void lossesAgreeWithTorchAndOthersRunWhenCaseIsWrong() throws IOException {
    ObjectNode golden = golden();
    ArrayNode cases = (ArrayNode) golden.get("cases");
    ((ObjectNode) cases.get(4).get("config")).put("micro", 3);
    TrainingFile file = write(golden);

    try (InProcessGrids grids = InProcessGrids.join("driver", "w1")) {
      TrainingReplay replay =
          TrainingReplay.on(grids.grid("driver"), List.of("w1"), Parallelism.NONE, Device.CPU);

      assertThat(line(replay, file, 4).get("error").asText())
          .isEqualTo("case \"gpt4\": micro=3 must divide batch=8");
      for (int i : new int[] {0, 5}) { // One by SGD, the other by AdamW.
        JsonNode line = line(replay, file, i);
        compare(cases.get(i), line);
        JsonNode work = line.at("/work/w1");
        assertThat(work.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
        int batch = cases.get(i).at("/config/batch").asInt();
        assertThat(work.get("rows").asInt()).isEqualTo(STEPS * batch);
        assertThat(work.get("bytes").asInt()).isZero();
      }
    }
  }

  @Test
  void lossesAgreeWithTorchOnDevicesOfWorkers() throws IOException {
    ObjectNode golden = golden();
    TrainingFile file = write(golden);
    List<String> names = List.of("w1", "w2");
    try (InProcessGrids grids = InProcessGrids.join("driver", "w1", "w2")) {
      Device device = Device.sim(0);
      var alone = TrainingReplay.on(grids.grid("driver"), List.of("w1"), Parallelism.NONE, device);
      compare(golden.get("cases").get(0), line(alone, file, 0));
      var both = TrainingReplay.on(grids.grid("driver"), names, Parallelism.DATA, device);
      compare(golden.get("cases").get(0), line(both, file, 0));
    }
  }

  @Test
  void lossesAgreeWithTorchWhenWorkersShareTheTraining() throws IOException {
    ObjectNode golden = golden();
    TrainingFile file = write(golden);
    List<String> names = List.of("w1", "w2", "w3", "w4");
    try (InProcessGrids grids = InProcessGrids.join("driver", "w1", "w2", "w3", "w4")) {
      for (Parallelism way : List.of(Parallelism.DATA, Parallelism.PIPELINE, Parallelism.BOTH)) {
        TrainingReplay replay = TrainingReplay.on(grids.grid("driver"), names, way, Device.CPU);
        for (int i : new int[] {3, 5}) { // Three layers and eight rows; two layers.
          JsonNode expected = golden.get("cases").get(i);
          JsonNode line = line(replay, file, i);
          compare(expected, line);
          int layers = expected.at("/config/layers").asInt();
          int busy = way == Parallelism.PIPELINE ? Math.min(4, layers) : 4;
          for (int worker = 0; worker < 4; worker++) {
            JsonNode work = line.at("/work/" + names.get(worker));
            assertThat(work.get("rows").asInt() > 0).as("%s", line).isEqualTo(worker < busy);
            assertThat(work.get("bytes").asInt() > 0).as("%s", line).isEqualTo(worker < busy);
          }
        }
      }
    }
  }

  /** Kills the oldest member, which coordinates the job, at the sixth of twelve steps. */
  @Test
  @Tag("slow")
  void lossesAgreeWithTorchWhenWorkerIsKilled() throws IOException {
    ObjectNode golden = golden();
    TrainingFile file = write(golden);
    LocalCluster.Spec workers = LocalCluster.Spec.of(List.of("w1", "w2", "w3"));
    try (ElasticSession session = ElasticSession.open(workers)) {
      TrainingReplay replay = TrainingReplay.withKills(session.cluster(), session.client(), 6);
      JsonNode line = line(replay, file, 5);
      compare(golden.get("cases").get(5), line);
      assertThat(line.get("kills").asInt()).isEqualTo(1);
      assertThat(line.get("repeated").asInt()).isNotNegative(); // Each restart repeats some.
      int rows = 0;
      for (JsonNode work : line.get("work")) {
        rows += work.get("rows").asInt();
      }
      assertThat(rows).isEqualTo(STEPS * golden.at("/cases/5/config/batch").asInt());
    }
  }

  private static void compare(JsonNode expected, JsonNode line) {
    assertThat(line.get("name")).isEqualTo(expected.get("name"));
    assertThat(line.get("losses")).as("%s", line).hasSize(STEPS);
    for (int i = 0; i < STEPS; i++) {
      double loss = expected.get("losses").get(i).doubleValue();
      assertThat(line.get("losses").get(i).doubleValue())
          .as("%s, step %d", expected.get("name"), i)
          .isCloseTo(loss, within(expected.get("tolerance").doubleValue() * loss));
    }
  }

  private static JsonNode line(TrainingReplay replay, TrainingFile file, int index)
      throws IOException {
    return JSON.readTree(replay.run(file.cases().get(index), file.text()));
  }

  /** Returns the file of torch, with fewer steps. */
  private static ObjectNode golden() throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                ReplayTrainingTest.class.getResourceAsStream("/golden/gpt.json.gz")))) {
      ObjectNode golden = (ObjectNode) JSON.readTree(in);
      golden.get("cases").forEach(each -> ((ObjectNode) each.get("config")).put("steps", STEPS));
      return golden;
    }
  }

  private TrainingFile write(ObjectNode golden) throws IOException {
    return TrainingFile.read(Files.writeString(folder.resolve("gpt.json"), golden.toString()));
  }
}
