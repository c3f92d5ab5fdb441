package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.cli.demo.IdxFiles;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The demos as scripts use them, small; their workers are JVMs. */
final class DemoCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private void run(Callable<Integer> demo, String... args) {
    int code =
        new CommandLine(demo)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    assertThat(code).as(err::toString).isZero();
  }

  /** Returns the last line, in which the members have these names, with what all demos say. */
  private JsonNode result(String... further) throws Exception {
    List<String> lines = out.toString().lines().toList();
    JsonNode result = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    List<String> names = new ArrayList<>(List.of("accuracy", "steps", "seconds", "workers"));
    names.addAll(List.of(further));
    names.addAll(List.of("rrefs_left", "contexts_left"));
    assertThat(result.fieldNames()).toIterable().containsExactlyElementsOf(names);
    assertThat(result.get("seconds").doubleValue()).isPositive();
    assertThat(result.get("rrefs_left").intValue()).isZero();
    assertThat(result.get("contexts_left").intValue()).isZero();
    return result;
  }

  @Test
  void digits() throws Exception {
    Path plot = folder.resolve("loss.png");
    run(new DigitsCommand(), "--workers=2", "--epochs=1", "--json", "--plot=" + plot);
    JsonNode result = result();
    assertThat(result.get("accuracy").doubleValue()).isBetween(0.8, 1.0);
    assertThat(result.get("steps").intValue()).isEqualTo(45);
    assertThat(result.get("workers").intValue()).isEqualTo(2);
    assertThat(plot).isNotEmptyFile();
  }

  @Test
  @Tag("slow")
  void digitsFromClientAreTheSameToTheLastBit() throws Exception {
    run(new DigitsCommand(), "--workers=2", "--epochs=1", "--json");
    JsonNode result = result();
    out.getBuffer().setLength(0);
    run(new DigitsCommand(), "--workers=2", "--epochs=1", "--json", "--client");
    JsonNode ofClient = result();
    for (String name : List.of("accuracy", "steps", "rrefs_left", "contexts_left")) {
      assertThat(ofClient.get(name)).as(name).isEqualTo(result.get(name));
    }
  }

  @Test
  @Tag("slow")
  void parameterServer() throws Exception {
    run(new ParameterServerCommand(), "--trainers=2", "--epochs=2", "--json");
    JsonNode result = result();
    assertThat(result.get("accuracy").doubleValue()).isBetween(0.8, 1.0);
    assertThat(result.get("steps").intValue()).isEqualTo(2 * 44);
    assertThat(result.get("workers").intValue()).isEqualTo(2);
  }

  @Test
  @Tag("slow")
  void gptTrainsOnATextAndWritesOn() throws Exception {
    Path text = Files.writeString(folder.resolve("text"), "worker calls worker. ".repeat(20));
    Path plot = folder.resolve("loss.svg");
    List<Double> losses = new ArrayList<>();
    for (String way : List.of("both", "data")) {
      out.getBuffer().setLength(0);
      run(
          new GptCommand(),
          "--workers=2",
          "--parallel=" + way,
          "--steps=40",
          "--text=" + text,
          "--prompt=work",
          "--sample=30",
          "--plot=" + plot,
          "--json");
      JsonNode result = new ObjectMapper().readTree(out.toString());
      assertThat(result.get("parallel").asText()).isEqualTo(way);
      assertThat(result.get("sample").asText()).startsWith("work").hasSize(34);
      losses.add(result.get("loss").doubleValue());
    }
    assertThat(losses.get(0)).isBetween(0.0, 2.5).isCloseTo(losses.get(1), within(1e-3));
    assertThat(plot).isNotEmptyFile();
  }

  @Test
  void serveDeploysAModelInOnnxAndMeasuresCalls() throws Exception {
    Path model = folder.resolve("digits.onnx");
    run(
        new ServeCommand(),
        "--workers=2",
        "--epochs=2",
        "--calls=720",
        "--threads=8",
        "--json",
        "--model=" + model);
    List<String> lines = out.toString().lines().toList();
    JsonNode result = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    assertThat(result.get("accuracy").doubleValue()).isBetween(0.5, 1.0);
    assertThat(result.get("model_bytes").longValue()).isEqualTo(Files.size(model));
    assertThat(result.get("p50_ms").doubleValue()).isPositive();
    assertThat(result.get("p99_ms").doubleValue())
        .isGreaterThanOrEqualTo(result.get("p50_ms").doubleValue());
  }

  @Test
  @Tag("slow")
  void pipeline() throws Exception {
    run(new PipelineCommand(), "--micro-batches=2", "--channels=4", "--epochs=1", "--json");
    JsonNode result =
        result("whole_batch_ms", "micro_batches_ms", "speedup", "gradient_difference");
    assertThat(result.get("steps").intValue()).isEqualTo(5);
    assertThat(result.get("speedup").doubleValue())
        .isEqualTo(
            result.get("whole_batch_ms").doubleValue()
                / result.get("micro_batches_ms").doubleValue());
    assertThat(result.get("gradient_difference").doubleValue()).isBetween(0.0, 1e-4);
  }

  @Test
  @Tag("slow")
  void mnist() throws Exception {
    IdxFiles.write(folder, 640, 100);
    Path plot = folder.resolve("loss.svg");
    run(new MnistCommand(), "--data=" + folder, "--epochs=3", "--json", "--plot=" + plot);
    JsonNode result = result();
    assertThat(result.get("accuracy").doubleValue()).isBetween(0.8, 1.0);
    assertThat(result.get("steps").intValue()).isEqualTo(30);
    assertThat(plot).isNotEmptyFile();
  }

  @Test
  void mnistSaysWhatIsWrongWithItsFiles() throws Exception {
    Files.writeString(folder.resolve("train-images-idx3-ubyte"), "no pictures");
    assertThat(Main.run(new PrintWriter(err), "demo", "mnist", "--data=" + folder))
        .isEqualTo(Main.BAD_INPUT);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString())
        .contains("lacks train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "digits --workers=0",
        "digits --workers=17",
        "digits --workers=x",
        "digits --epochs=0",
        "digits --epochs=-1",
        "digits --plot=loss.jpg",
        "digits --plot=no/such/folder/loss.png",
        "digits more",
        "parameter-server --trainers=0",
        "parameter-server --epochs=0",
        "pipeline --micro-batches=1",
        "pipeline --channels=0",
        "mnist",
        "mnist --data=. --workers=5"
      })
  void wrongArguments(String line) {
    List<String> args = new ArrayList<>(List.of("demo"));
    args.addAll(List.of(line.split(" ")));
    assertThat(Main.run(new PrintWriter(err), args.toArray(String[]::new)))
        .isEqualTo(Main.BAD_INPUT);
    assertThat(err.toString().lines()).hasSize(1);
  }
}
