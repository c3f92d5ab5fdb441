package io.hazelgrad.autograd.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
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
import org.nd4j.autodiff.samediff.SDIndex;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.enums.WeightsFormat;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Conv2DConfig;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.PaddingMode;
import org.nd4j.linalg.api.ops.impl.layers.convolution.config.Pooling2DConfig;
import org.nd4j.linalg.factory.Nd4j;

/** Programs compute what SameDiff computes, and refuse what is not allowed. */
class GraphProgramTest {
  private static final int[][] SHAPES = {
    {2, 4}, {2, 4}, {4, 3}, {3}, {4}, {3, 2, 4}, {1, 4}, {2, 3, 7, 6}
  };

  private static final INDArray INDEX = Nd4j.createFromArray(new int[][] {{1, 0, 1}, {0, 0, 1}});

  /** The inputs of the graphs below. */
  private record Inputs(
      SDVariable x,
      SDVariable y,
      SDVariable w,
      SDVariable b,
      SDVariable g,
      SDVariable cube,
      SDVariable row,
      SDVariable image) {}

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
    graphs.put("halves are rounded", (sd, in) -> sd.math.round(sd.math.round(in.x.mul(9)).div(2)));
    graphs.put("small complement", (sd, in) -> sd.math.log(sd.math.erfc(in.x.add(2))).mul(0.1));
    graphs.put("rectified above a bound", (sd, in) -> sd.nn.relu(in.x, 0.4));
    graphs.put("gather", (sd, in) -> sd.gather(in.cube, sd.constant(INDEX), 1));
    graphs.put("gather by own index", (sd, in) -> sd.gather(in.x, new int[] {3, 0, 3}, 1));
    graphs.put("slice", (sd, in) -> sd.slice(in.cube, new int[] {1, 0, 2}, 2, 2, 1));
    graphs.put(
        "strided slice",
        (sd, in) -> sd.stridedSlice(in.cube, new long[] {0, 1, 0}, new long[] {3, 2, 4}, 2, 1, 3));
    graphs.put("point", (sd, in) -> in.cube.get(SDIndex.point(1), SDIndex.interval(0, 1)));
    graphs.put("last point", (sd, in) -> in.cube.get(SDIndex.all(), SDIndex.point(-1)));
    graphs.put(
        "every second", (sd, in) -> in.x.get(SDIndex.all(), SDIndex.interval(0, 2, 4)).mul(2));
    graphs.put(
        "batch norm",
        (sd, in) -> sd.nn.batchNorm(in.x, in.g, in.g.add(1), in.g.mul(2), in.g.sub(1), 1e-3, 1));
    graphs.put(
        "batch norm of images",
        (sd, in) -> sd.nn.batchNorm(in.image, in.b, in.b.add(1), in.b, in.b, 1e-3, 1));
    graphs.put("bias of channels", (sd, in) -> sd.nn.biasAdd(in.image, in.b, true));
    addWindows(graphs);
    graphs.put("comparisons", (sd, in) -> sd.gt(in.x, in.y));
    graphs.put("equality", (sd, in) -> sd.eq(in.x, in.x));
    return graphs.entrySet().stream()
        .map(e -> DynamicTest.dynamicTest(e.getKey(), () -> compare(e.getValue())));
  }

  private static void addWindows(Map<String, Build> graphs) {
    for (PaddingMode mode : List.of(PaddingMode.VALID, PaddingMode.SAME)) {
      int padding = mode == PaddingMode.SAME ? 0 : 1;
      for (boolean last : List.of(false, true)) {
        for (WeightsFormat format : WeightsFormat.values()) {
          Conv2DConfig config =
              Conv2DConfig.builder()
                  .kH(2)
                  .kW(3)
                  .sH(2)
                  .sW(1)
                  .pH(padding)
                  .pW(padding)
                  .paddingMode(mode)
                  .dataFormat(last ? "NHWC" : "NCHW")
                  .weightsFormat(format)
                  .build();
          graphs.put(
              "convolution %s %s %s".formatted(mode, last, format),
              (sd, in) -> {
                SDVariable image = last ? in.image.permute(0, 2, 3, 1) : in.image;
                return sd.cnn.conv2d(image, sd.constant(weight(format)), in.g, config);
              });
        }
        for (int extra : new int[] {0, 1}) {
          Pooling2DConfig config =
              Pooling2DConfig.builder()
                  .kH(2)
                  .kW(3)
                  .sH(2)
                  .sW(1)
                  .pH(padding)
                  .pW(padding)
                  .paddingMode(mode)
                  .isNHWC(last)
                  .extra(extra)
                  .build();
          String name = "%s %s %s".formatted(mode, last, extra);
          graphs.put(
              "mean of windows " + name,
              (sd, in) ->
                  sd.cnn.avgPooling2d(last ? in.image.permute(0, 2, 3, 1) : in.image, config));
          graphs.put(
              "maximum of windows " + name,
              (sd, in) ->
                  sd.cnn.maxPooling2d(last ? in.image.permute(0, 2, 3, 1) : in.image, config));
        }
      }
    }
  }

  /** Returns weights of four kernels of 2 x 3 over three channels. */
  private static INDArray weight(WeightsFormat format) {
    int[] shape =
        switch (format) {
          case YXIO -> new int[] {2, 3, 3, 4};
          case OIYX -> new int[] {4, 3, 2, 3};
          case OYXI -> new int[] {4, 2, 3, 3};
        };
    return Nd4j.rand(DataType.FLOAT, shape).muli(0.1);
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
    SDVariable out =
        build.apply(sd, new Inputs(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]));
    INDArray expected = sd.output(values, out.name()).get(out.name());
    SameDiffProgram program = read(sd, out.name());
    List<Object> arguments = new ArrayList<>();
    program.inputs().forEach(input -> arguments.add(Tensor.of(values.get(input.name()))));
    Tensor actual = (Tensor) program.run("g", arguments);
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
      Tensor out = (Tensor) read(sd, "out").run("g", List.of());
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
    SameDiffProgram program = read(sd, "out");
    assertThat(program.inputs()).extracting(GraphInput::name).containsExactly("x");
    assertThat(program.steps())
        .extracting(step -> step.node().op())
        .containsExactly("matmul", "softmax");
    assertThatThrownBy(() -> read(sd, "loss")).hasMessageContaining("mean_sqerr_loss");
  }

  @Test
  void operationIsRefusedByNameWhenItCouldCrash() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, 3, 2);
    SDVariable index = sd.placeHolder("index", DataType.INT32, 2);
    sd.scatterAdd("added", x, index, x);
    sd.range("range", 0, 1e9, 1, DataType.FLOAT);
    sd.nn.dropout("dropped", x, 0.5);
    for (String output : List.of("added", "range", "dropped")) {
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

  /** The gradients are SameDiff's own, of the sum of a small network's outputs. */
  @Test
  void gradientsOfInputsAndParametersMatchSameDiff() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.DOUBLE, 2, 1, 5, 5);
    SDVariable kernel = sd.var("kernel", Nd4j.rand(DataType.DOUBLE, 3, 3, 1, 2));
    SDVariable w = sd.var("w", Nd4j.rand(DataType.DOUBLE, 18, 3));
    SDVariable fixed = sd.constant("fixed", Nd4j.rand(DataType.DOUBLE, 3));
    SDVariable images =
        sd.nn.tanh(sd.cnn.conv2d(x, kernel, Conv2DConfig.builder().kH(3).kW(3).build()));
    SDVariable scores = sd.nn.linear(images.reshape(2, 18), w, fixed);
    SDVariable out = sd.nn.softmax(scores).get(SDIndex.all(), SDIndex.point(1)).sum("out");
    out.markAsLoss();
    INDArray value = Nd4j.rand(DataType.DOUBLE, 2, 1, 5, 5);
    Map<String, INDArray> expected = sd.calculateGradients(Map.of("x", value), "x", "kernel", "w");
    SameDiffProgram program = read(sd, "out");
    Variable input = Variable.parameter(Tensor.of(value));
    assertThat(program.parameters()).containsOnlyKeys("kernel", "w");
    ((Variable) program.run("g", List.of(input))).backward();
    close(input.grad(), expected.get("x"));
    program.parameters().forEach((name, each) -> close(each.grad(), expected.get(name)));
    assertThat(((Tensor) program.run("g", List.of(input.value()))).rank()).isZero();
  }

  private static void close(Tensor actual, INDArray expected) {
    Tensor wanted = Tensor.of(expected);
    assertThat(actual.shape()).isEqualTo(wanted.shape());
    assertThat(actual.toDoubles()).containsExactly(wanted.toDoubles(), within(1e-9));
  }

  @Test
  void graphIsRecordedWhenArgumentIsVariable() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, 2);
    x.mul("product", sd.var("w", Nd4j.createFromArray(2f, 3f)));
    x.argmax("best", 0);
    SameDiffProgram program = read(sd, "product", "best");
    Variable input = Variable.of(Tensor.of(new float[] {5, 7}, 2));
    Map<?, ?> results = (Map<?, ?>) program.run("g", List.of(Map.of("x", input)));
    Variable product = (Variable) results.get("product");
    assertThat(product.requiresGrad()).isTrue();
    assertThat(((Variable) results.get("best")).requiresGrad()).isFalse();
    product.sum().backward();
    Variable w = program.parameters().get("w");
    assertThat(w.grad().toDoubles()).containsExactly(5, 7);
    w.set(Tensor.of(new float[] {1, 1}, 2));
    Map<?, ?> after = (Map<?, ?>) program.run("g", List.of(input.value()));
    assertThat(after.get("product")).isEqualTo(input.value());
  }

  @Test
  void graphRunsOnDeviceOfItsInputs() {
    Device device = Device.sim(1);
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, 2);
    x.mul(sd.var("w", Nd4j.createFromArray(2f, 3f))).add("out", 1);
    SameDiffProgram program = read(sd, "out");
    Variable input = Variable.parameter(Tensor.full(DType.FLOAT32, 1, 2).to(device));
    Variable out = (Variable) program.run("g", List.of(input));
    assertThat(out.value().device()).isEqualTo(device);
    out.sum().backward();
    assertThat(input.grad().device()).isEqualTo(device);
    assertThat(program.parameters().get("w").grad().device()).isEqualTo(Device.CPU);
  }

  @Test
  void indexIsRefusedWhenItIsOutOfRange() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, 3, 2);
    sd.gather("picked", x, sd.placeHolder("index", DataType.INT32, 2), 0);
    SameDiffProgram program = read(sd, "picked");
    Tensor index = Tensor.of(new int[] {0, 3}, 2);
    assertThatThrownBy(
            () ->
                program.run(
                    "g", List.of(Map.of("x", Tensor.zeros(DType.FLOAT32, 3, 2), "index", index))))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContaining("graph \"g\": node \"")
        .hasMessageContaining("index[1]=3 is not within [0, 2]");
  }

  @Test
  void integersAreNotDivided() {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.INT32, 2);
    SDVariable y = sd.placeHolder("y", DataType.INT32, 2);
    x.div("out", y);
    SameDiffProgram graph = read(sd, "out");
    Tensor zeros = Tensor.zeros(DType.INT32, 2);
    assertThatThrownBy(() -> graph.run("g", List.of(zeros, zeros)))
        .hasMessageContaining("takes floating-point elements, got INT32");
  }

  static SameDiffProgram read(SameDiff sd, String... outputs) {
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
