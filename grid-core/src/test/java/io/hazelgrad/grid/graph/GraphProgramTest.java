package io.hazelgrad.grid.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Programs compute what SameDiff computes, and refuse what is not allowed. */
class GraphProgramTest {
  private static final int[][] SHAPES = {{2, 4}, {2, 4}, {4, 3}, {3}, {4}, {3, 2, 4}, {1, 4}};

  /** The inputs of the graphs below. */
  private record Inputs(
      SDVariable x,
      SDVariable y,
      SDVariable w,
      SDVariable b,
      SDVariable g,
      SDVariable cube,
      SDVariable row) {}

  private interface Build extends BiFunction<SameDiff, Inputs, SDVariable> {}

  @TestFactory
  Stream<DynamicTest> programComputesLikeSameDiff() {
    Map<String, Build> graphs = new HashMap<>();
    graphs.put("add", (sd, in) -> in.x.add(in.y));
    graphs.put("subtract", (sd, in) -> in.x.sub(in.row));
    graphs.put("multiply", (sd, in) -> in.x.mul(in.cube));
    graphs.put("divide", (sd, in) -> in.x.div(in.y));
    graphs.put("reverse subtract", (sd, in) -> in.x.rsub(in.y));
    graphs.put("reverse divide", (sd, in) -> in.row.rdiv(in.x));
    graphs.put("power", (sd, in) -> sd.math.pow(in.x, in.y));
    graphs.put("maximum", (sd, in) -> sd.math.max(in.x, in.y));
    graphs.put("minimum", (sd, in) -> sd.math.min(in.x, in.row));
    graphs.put("squared difference", (sd, in) -> sd.math.squaredDifference(in.x, in.y));
    graphs.put("scalars", (sd, in) -> in.x.add(1.5).mul(2).sub(0.25).rsub(3).div(4).rdiv(2));
    graphs.put("power of a scalar", (sd, in) -> in.x.pow(3));
    graphs.put("same", (sd, in) -> sd.math.neg(sd.math.abs(sd.math.sign(in.x))).add(in.x));
    graphs.put("roots", (sd, in) -> sd.math.sqrt(in.x).add(sd.math.rsqrt(in.x)));
    graphs.put("powers", (sd, in) -> sd.math.square(in.x).add(sd.math.cube(in.x)));
    graphs.put(
        "rounding",
        (sd, in) -> {
          SDVariable x = in.x.mul(3.3);
          return sd.math.floor(x).add(sd.math.ceil(x)).add(sd.math.round(x));
        });
    graphs.put("exponentials", (sd, in) -> sd.math.exp(in.x).add(sd.math.expm1(in.x)));
    graphs.put("logarithms", (sd, in) -> sd.math.log(in.x).add(sd.math.log1p(in.x)));
    graphs.put(
        "angles", (sd, in) -> sd.math.sin(in.x).add(sd.math.cos(in.x)).add(sd.math.tan(in.x)));
    graphs.put("error functions", (sd, in) -> sd.math.erf(in.x).sub(sd.math.erfc(in.x)));
    graphs.put("reciprocal", (sd, in) -> sd.math.reciprocal(in.x));
    graphs.put("clip", (sd, in) -> sd.math.clipByValue(in.x, 0.2, 0.6));
    graphs.put("sigmoids", (sd, in) -> sd.nn.sigmoid(in.x).add(sd.nn.logSigmoid(in.x)));
    graphs.put("hyperbolic", (sd, in) -> sd.nn.tanh(in.x).add(sd.nn.hardTanh(in.x.mul(3))));
    graphs.put("hard sigmoid", (sd, in) -> sd.nn.hardSigmoid(in.x.sub(in.y)));
    graphs.put("rectifiers", (sd, in) -> sd.nn.relu(in.x.sub(in.y), 0).add(sd.nn.relu6(in.x, 0)));
    graphs.put("leaky", (sd, in) -> sd.nn.leakyRelu(in.x.sub(in.y), 0.3));
    graphs.put("linear units", (sd, in) -> sd.nn.elu(in.x.sub(1)).add(sd.nn.selu(in.x.sub(1))));
    graphs.put("gelu", (sd, in) -> sd.nn.gelu(in.x).add(sd.nn.preciseGelu(in.x)));
    graphs.put("soft", (sd, in) -> sd.nn.softplus(in.x).add(sd.nn.softsign(in.x)));
    graphs.put("swish", (sd, in) -> sd.nn.swish(in.x));
    graphs.put("softmax", (sd, in) -> sd.nn.softmax(in.x));
    graphs.put("softmax of a dimension", (sd, in) -> sd.nn.softmax(in.cube, 1));
    graphs.put("log softmax", (sd, in) -> sd.nn.logSoftmax(in.x));
    graphs.put("log softmax of a dimension", (sd, in) -> sd.nn.logSoftmax(in.x, 0));
    graphs.put("matmul", (sd, in) -> in.x.mmul(in.w));
    graphs.put("matmul transposed left", (sd, in) -> sd.mmul(in.x, in.y, true, false, false));
    graphs.put("matmul transposed right", (sd, in) -> sd.mmul(in.x, in.y, false, true, false));
    graphs.put("matmul of stacks", (sd, in) -> sd.mmul(in.cube, in.cube, false, true, false));
    graphs.put("linear", (sd, in) -> sd.nn.linear(in.x, in.w, in.b));
    graphs.put("relu layer", (sd, in) -> sd.nn.reluLayer(in.x, in.w, in.b));
    graphs.put("bias", (sd, in) -> sd.nn.biasAdd(in.x, in.g, false));
    graphs.put("layer norm", (sd, in) -> sd.nn.layerNorm(in.x, in.g, false, 1));
    graphs.put("layer norm with bias", (sd, in) -> sd.nn.layerNorm(in.x, in.g, in.g, false, 1));
    graphs.put("standardize", (sd, in) -> sd.math.standardize(in.x, 1));
    graphs.put("sum", (sd, in) -> in.x.sum(1));
    graphs.put("sum of all", (sd, in) -> in.x.sum());
    graphs.put("sum keeping dimensions", (sd, in) -> in.cube.sum(true, 0, 2));
    graphs.put("mean", (sd, in) -> in.cube.mean(-1));
    graphs.put("max", (sd, in) -> in.x.max(1));
    graphs.put("min", (sd, in) -> in.x.min(0));
    graphs.put("prod", (sd, in) -> in.x.prod(1));
    graphs.put("norm 1", (sd, in) -> in.x.norm1(1));
    graphs.put("norm 2", (sd, in) -> in.x.norm2(0));
    graphs.put("argmax", (sd, in) -> in.x.argmax(1));
    graphs.put("argmin", (sd, in) -> in.x.argmin(0));
    graphs.put("reshape", (sd, in) -> in.cube.reshape(2, -1));
    graphs.put("permute", (sd, in) -> in.cube.permute(2, 0, 1));
    graphs.put("permute, then reduce", (sd, in) -> in.cube.permute(2, 0, 1).sum(0).mul(2));
    graphs.put("permute, then reshape", (sd, in) -> in.cube.permute(2, 0, 1).reshape(6, 4));
    graphs.put("transpose", (sd, in) -> sd.transpose(in.x));
    graphs.put("concat", (sd, in) -> sd.concat(0, in.x, in.y, in.row));
    graphs.put("stack", (sd, in) -> sd.stack(1, in.x, in.y));
    graphs.put("expand and squeeze", (sd, in) -> sd.squeeze(sd.expandDims(in.x, 1), 1).mul(2));
    graphs.put("cast", (sd, in) -> sd.castTo(in.x, DataType.DOUBLE));
    graphs.put("identity", (sd, in) -> sd.identity(in.x));
    graphs.put("comparisons", (sd, in) -> sd.gt(in.x, in.y));
    graphs.put("equality", (sd, in) -> sd.eq(in.x, in.x));
    return graphs.entrySet().stream()
        .map(e -> DynamicTest.dynamicTest(e.getKey(), () -> compare(e.getValue())));
  }

  private static void compare(Build build) {
    SameDiff sd = SameDiff.create();
    SDVariable[] in = new SDVariable[SHAPES.length];
    Map<String, INDArray> values = new HashMap<>();
    Nd4j.getRandom().setSeed(7);
    for (int i = 0; i < in.length; i++) {
      in[i] =
          sd.placeHolder(
              "p" + i, DataType.FLOAT, Arrays.stream(SHAPES[i]).asLongStream().toArray());
      values.put("p" + i, Nd4j.rand(DataType.FLOAT, SHAPES[i]).addi(0.05));
    }
    SDVariable out = build.apply(sd, new Inputs(in[0], in[1], in[2], in[3], in[4], in[5], in[6]));
    INDArray expected = sd.output(values, out.name()).get(out.name());
    GraphProgram program = read(sd, out.name());
    LoadedGraph graph = new LoadedGraph("g", 1, program);
    List<Object> arguments = new ArrayList<>();
    program.inputs().forEach(input -> arguments.add(Tensor.of(values.get(input.name()))));
    Tensor actual = (Tensor) graph.run(arguments);
    graph.retire();
    Tensor wanted = Tensor.of(expected);
    assertThat(actual.dtype()).isEqualTo(wanted.dtype());
    assertThat(actual.shape()).isEqualTo(wanted.shape());
    assertThat(actual.toDoubles()).containsExactly(wanted.toDoubles(), within(1e-6));
  }

  @Test
  void constantsOfEveryTypeAndOrderAreRead() {
    for (DType dtype : DType.values()) {
      Tensor value = Tensor.of(new double[] {1, 0, 1, 1, 0, 0}, 2, 3).to(dtype);
      SameDiff sd = SameDiff.create();
      SDVariable constant = sd.constant("c", value.toArray().dup('f'));
      SDVariable view = sd.constant("v", value.toArray().transpose());
      sd.stack("out", 0, constant, sd.transpose(view));
      Tensor out = (Tensor) new LoadedGraph("g", 1, read(sd, "out")).run(List.of());
      assertThat(out.dtype()).isEqualTo(dtype);
      assertThat(out.toDoubles())
          .as("%s", dtype)
          .containsExactly(1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0);
    }
  }

  @Test
  void operationsAreReadWhenOutputsNeedThem() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, -1, 2);
    SDVariable labels = sd.placeHolder("labels", DataType.FLOAT, -1, 2);
    SDVariable w = sd.var("w", Nd4j.ones(DataType.FLOAT, 2, 2));
    SDVariable out = sd.nn.softmax("out", x.mmul(w));
    sd.setLossVariables(sd.loss.meanSquaredError("loss", labels, out, null));
    GraphProgram program = read(sd, "out");
    assertThat(program.inputs()).extracting(GraphInput::name).containsExactly("x");
    assertThat(program.steps()).extracting(GraphStep::op).containsExactly("matmul", "softmax");
    assertThatThrownBy(() -> read(sd, "loss")).hasMessageContaining("mean_sqerr_loss");
  }

  @Test
  void operationIsRefusedByNameWhenItCouldCrash() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, 3, 2);
    SDVariable index = sd.placeHolder("index", DataType.INT32, 2);
    sd.gather("picked", x, index, 0);
    sd.range("range", 0, 1e9, 1, DataType.FLOAT);
    sd.nn.dropout("dropped", x, 0.5);
    for (String output : List.of("picked", "range", "dropped")) {
      assertThatThrownBy(() -> read(sd, output))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED))
          .hasMessageContaining("graphs may have");
    }
  }

  @Test
  void loopsAreRefused() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT);
    SDVariable[] out =
        sd.whileLoop(
            new SDVariable[] {x},
            (s, v) -> s.lt(v[0], s.constant(10.0f)),
            (s, v) -> new SDVariable[] {v[0].add(1)});
    assertThatThrownBy(() -> read(sd, out[0].name()))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED));
  }

  @Test
  void integersAreNotDivided() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.INT32, 2);
    SDVariable y = sd.placeHolder("y", DataType.INT32, 2);
    x.div("out", y);
    LoadedGraph graph = new LoadedGraph("g", 1, read(sd, "out"));
    Tensor zeros = Tensor.zeros(DType.INT32, 2);
    assertThatThrownBy(() -> graph.run(List.of(zeros, zeros)))
        .hasMessageContaining("takes floating-point elements, got INT");
  }

  static GraphProgram read(SameDiff sd, String... outputs) {
    return GraphReader.read(
        bytes(sd), Objects.requireNonNullElse(sd.inputs(), List.of()), List.of(outputs));
  }

  static byte[] bytes(SameDiff sd) {
    ByteBuffer buffer = sd.asFlatBuffers(false);
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
