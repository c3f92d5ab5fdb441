package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.Map;
import java.util.stream.IntStream;

/** Compares a model of {@code input} and {@code output} with ONNX Runtime. */
public final class OnnxComparison {
  private static final double TOLERANCE = 1e-4;

  private OnnxComparison() {}

  /** Checks that ONNX Runtime and the model itself give these scores. */
  public static void requireScores(OnnxModel model, Tensor input, Tensor expected)
      throws OrtException {
    double[] scores = expected.toDoubles();
    requireClose(model.run(Map.of("input", input)).get("output").toDoubles(), scores);
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setIntraOpNumThreads(1);
      try (OrtSession session = environment.createSession(model.bytes(), options);
          OnnxTensor given = tensor(environment, input);
          OrtSession.Result result = session.run(Map.of("input", given))) {
        OnnxTensor output = (OnnxTensor) result.get(0);
        assertThat(output.getInfo().getShape()).isEqualTo(expected.shape());
        FloatBuffer floats = output.getFloatBuffer();
        double[] theirs = IntStream.range(0, floats.remaining()).mapToDouble(floats::get).toArray();
        requireClose(theirs, scores);
      }
    }
  }

  private static OnnxTensor tensor(OrtEnvironment environment, Tensor input) throws OrtException {
    return input.dtype() == DType.INT64
        ? OnnxTensor.createTensor(environment, LongBuffer.wrap(input.toLongs()), input.shape())
        : OnnxTensor.createTensor(environment, FloatBuffer.wrap(input.toFloats()), input.shape());
  }

  private static void requireClose(double[] actual, double[] expected) {
    double largest =
        IntStream.range(0, expected.length).mapToDouble(i -> Math.abs(expected[i])).max().orElse(0);
    assertThat(actual).hasSameSizeAs(expected);
    double farthest =
        IntStream.range(0, expected.length)
            .mapToDouble(i -> Math.abs(actual[i] - expected[i]))
            .max()
            .orElse(0);
    assertThat(farthest).isLessThanOrEqualTo(TOLERANCE * largest);
  }
}
