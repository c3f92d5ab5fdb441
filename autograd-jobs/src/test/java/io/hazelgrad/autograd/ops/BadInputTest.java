package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Wrong arguments end in a failure that names the operation and the values. */
class BadInputTest {
  private static final Attributes NONE = Attributes.none();
  private static final Tensor MATRIX = Samples.counting(DType.FLOAT64, 2, 3);
  private static final Tensor VECTOR = Samples.counting(DType.FLOAT64, 4);
  private static final Tensor INTS = Samples.counting(DType.INT64, 2, 3);
  private static final Tensor BOOLS = Tensor.zeros(DType.BOOL, 2, 3);
  private static final Tensor SCALAR = Tensor.scalar(1);

  private record Case(String operation, List<Tensor> inputs, Attributes attributes, String text) {}

  private final Backend backend = new CpuBackend();
  private final List<Case> cases = cases();

  private static List<Case> cases() {
    List<Case> all = new ArrayList<>();
    wrongCounts(all);
    Attributes axis = Attributes.of("axis", 1);
    for (String operation : List.of("add", "sub", "mul", "div", "matmul", "mse_loss")) {
      bad(all, operation, NONE, "takes 2 inputs, got 1: [FLOAT64 [2, 3]]", MATRIX);
    }
    for (String operation : List.of("add", "sub", "mul", "div", "mse_loss")) {
      bad(all, operation, NONE, "a.shape=[2, 3] b.shape=[4]", MATRIX, VECTOR);
      bad(all, operation, axis, "unknown attribute axis=1", MATRIX, MATRIX);
      Tensor tall = Tensor.zeros(DType.FLOAT32, 100_000, 1);
      Tensor wide = Tensor.zeros(DType.FLOAT32, 100_000);
      bad(all, operation, NONE, "shape=[100000, 100000]", tall, wide);
    }
    bad(
        all,
        "add",
        Attributes.of("alpha", 0.5),
        "alpha=0.5 (Double) must be an integer",
        INTS,
        INTS);
    bad(
        all,
        "add",
        Attributes.of("alpha", "x"),
        "alpha=x (String) must be a number",
        MATRIX,
        MATRIX);
    bad(all, "sub", NONE, "does not take booleans", BOOLS, MATRIX);
    for (String operation :
        List.of("neg", "exp", "relu", "sigmoid", "tanh", "identity", "detach", "sum", "mean")) {
      bad(all, operation, NONE, "takes 1 inputs, got 2", MATRIX, MATRIX);
      bad(all, operation, axis, "unknown attribute axis=1", MATRIX);
    }
    bad(all, "neg", NONE, "does not take booleans: [BOOL [2, 3]]", BOOLS);
    bad(all, "relu", NONE, "does not take booleans: [BOOL [2, 3]]", BOOLS);
    for (String operation : List.of("sum", "mean")) {
      bad(all, operation, Attributes.of("dim", 2), "dim=2 is not within [-2, 1]", MATRIX);
      bad(all, operation, Attributes.of("dim", -3), "dim=-3 is not within [-2, 1]", MATRIX);
      bad(all, operation, Attributes.of("dim", Long.MAX_VALUE), "dim=9223372036854775807", MATRIX);
      bad(all, operation, Attributes.of("dim", List.of(1, -1)), "dim=[1, -1] names", MATRIX);
      bad(all, operation, Attributes.of("dim", "rows"), "dim=rows (String)", MATRIX);
      bad(all, operation, Attributes.of("dim", 1, "keepdim", 1), "keepdim=1 (Long)", MATRIX);
    }
    bad(all, "mean", NONE, "takes floating-point elements: INT64 [2, 3]", INTS);
    bad(
        all,
        "sum",
        Attributes.of("dim", 0),
        "3000000000",
        Tensor.zeros(DType.INT8, 0, 3_000_000_000L));
    bad(all, "log_softmax", NONE, "attribute dim is missing", MATRIX);
    bad(all, "log_softmax", Attributes.of("dim", 0.0), "dim=0.0 (Double)", MATRIX);
    bad(all, "log_softmax", Attributes.of("dim", 2), "dim=2 is not within [-2, 1]", MATRIX);
    bad(all, "log_softmax", Attributes.of("dim", 0), "floating-point elements: INT64", INTS);
    bad(all, "matmul", NONE, "inner dimensions differ: a.shape=[2, 3] b.shape=[4]", MATRIX, VECTOR);
    bad(all, "matmul", NONE, "not scalars: a.shape=[2, 3] b.shape=[]", MATRIX, SCALAR);
    bad(all, "matmul", NONE, "one element type: [FLOAT64 [2, 3], INT64 [2, 3]]", MATRIX, INTS);
    bad(all, "matmul", NONE, "one element type: [BOOL [2, 3], BOOL [2, 3]]", BOOLS, BOOLS);
    bad(
        all,
        "matmul",
        NONE,
        "a.shape=[2] b.shape=[3]",
        Tensor.zeros(DType.FLOAT64, 2, 2, 2),
        Tensor.zeros(DType.FLOAT64, 3, 2, 2));
    bad(all, "linear", NONE, "x.shape=[4] weight.shape=[2, 3]", VECTOR, MATRIX);
    bad(all, "linear", NONE, "x.shape=[] weight.shape=[2, 3]", SCALAR, MATRIX);
    bad(all, "linear", NONE, "x.shape=[4] weight.shape=[4]", VECTOR, VECTOR);
    bad(
        all,
        "linear",
        NONE,
        "bias.shape=[4] is not [out] of weight.shape=[2, 3]",
        MATRIX,
        MATRIX,
        VECTOR);
    bad(all, "linear", NONE, "FLOAT32 [2, 3]", MATRIX, MATRIX.to(DType.FLOAT32));
    bad(all, "reshape", NONE, "attribute shape is missing", MATRIX);
    bad(all, "reshape", Attributes.of("shape", List.of(4)), "shape=[4] for a.shape=[2, 3]", MATRIX);
    bad(all, "reshape", Attributes.of("shape", List.of(-1, 4)), "shape=[-1, 4]", MATRIX);
    bad(all, "reshape", Attributes.of("shape", List.of(-1, -1)), "at most one -1", MATRIX);
    bad(all, "reshape", Attributes.of("shape", List.of(-2, -3)), "shape=[-2, -3]", MATRIX);
    bad(
        all,
        "reshape",
        Attributes.of("shape", List.of(-1, 0)),
        "shape=[-1, 0]",
        Tensor.zeros(DType.INT8, 0));
    bad(
        all,
        "reshape",
        Attributes.of("shape", List.of(1L << 62, 4, 0)),
        "over 2^31",
        Tensor.zeros(DType.INT8, 0));
    bad(
        all,
        "reshape",
        Attributes.of("shape", new long[33]),
        "at most 32 dimensions",
        Tensor.zeros(DType.INT8, 0));
    bad(all, "transpose", Attributes.of("dim0", 0), "attribute dim1 is missing", MATRIX);
    bad(
        all,
        "transpose",
        Attributes.of("dim0", 0, "dim1", 2),
        "dim1=2 is not within [-2, 1]",
        MATRIX);
    bad(all, "mse_loss", NONE, "floating-point elements", INTS, INTS);
    bad(
        all,
        "mse_loss",
        Attributes.of("reduction", "max"),
        "reduction=max must be",
        MATRIX,
        MATRIX);
    for (String operation : List.of("nll_loss", "cross_entropy")) {
      Tensor classes = Samples.longs(0, 2);
      bad(all, operation, NONE, "takes 2 to 3 inputs, got 1", MATRIX);
      bad(all, operation, NONE, "target[1]=3 is not within [0, 2]", MATRIX, Samples.longs(0, 3));
      bad(all, operation, NONE, "target[0]=-1 is not within [0, 2]", MATRIX, Samples.longs(-1, 0));
      bad(
          all,
          operation,
          Attributes.of("ignore_index", 7),
          "target[1]=-100",
          MATRIX,
          Samples.longs(7, -100));
      bad(all, operation, NONE, "target FLOAT64 [2, 3]", MATRIX, MATRIX);
      bad(all, operation, NONE, "target INT32 [2]", MATRIX, classes.to(DType.INT32));
      bad(all, operation, NONE, "of shape=[2]", MATRIX, Samples.longs(0, 1, 2));
      bad(all, operation, NONE, "a is INT64 [2, 3]", INTS, classes);
      bad(all, operation, NONE, "a is FLOAT64 []", SCALAR, classes);
      bad(all, operation, NONE, "weight must be FLOAT64 [3]: FLOAT64 [4]", MATRIX, classes, VECTOR);
      bad(all, operation, Attributes.of("reduction", 1), "reduction=1 (Long)", MATRIX, classes);
      bad(all, operation, Attributes.of("reduction", "avg"), "reduction=avg", MATRIX, classes);
    }
    bad(
        all,
        "nll_loss",
        Attributes.of("label_smoothing", 0.1),
        "unknown attribute",
        MATRIX,
        Samples.longs(0, 2));
    bad(
        all,
        "cross_entropy",
        Attributes.of("label_smoothing", 1.5),
        "label_smoothing=1.5",
        MATRIX,
        Samples.longs(0, 2));
    bad(
        all,
        "cross_entropy",
        Attributes.of("label_smoothing", Double.NaN),
        "label_smoothing=NaN",
        MATRIX,
        Samples.longs(0, 2));
    return all;
  }

  private static void wrongCounts(List<Case> all) {
    for (String name : Catalogue.names()) {
      Operation operation = Catalogue.get(name);
      int count = operation.maxInputs() == Integer.MAX_VALUE ? 0 : operation.maxInputs() + 1;
      Tensor[] inputs = new Tensor[count];
      Arrays.fill(inputs, MATRIX);
      bad(all, name, NONE, "inputs, got " + count, inputs);
      Tensor[] enough = new Tensor[operation.minInputs()];
      Arrays.fill(enough, MATRIX);
      bad(all, name, Attributes.of("axis", 1), "unknown attribute axis=1; known: ", enough);
    }
  }

  private static void bad(
      List<Case> all, String operation, Attributes attributes, String text, Tensor... inputs) {
    all.add(new Case(operation, List.of(inputs), attributes, text));
  }

  @TestFactory
  Stream<DynamicTest> messageHasValues() {
    return cases.stream()
        .map(
            c ->
                dynamicTest(
                    c.operation() + ": " + c.text(),
                    () -> {
                      Operation operation = Catalogue.get(c.operation());
                      GridException failure =
                          catchThrowableOfType(
                              GridException.class,
                              () -> operation.forward(backend, c.inputs(), c.attributes()));
                      assertThat(failure)
                          .hasMessageStartingWith(c.operation() + ": ")
                          .hasMessageContaining(c.text());
                      assertThat(failure.status()).isEqualTo(Status.BAD_ARGUMENT);
                    }));
  }

  @Test
  void gradientIsRefusedWhenShapeOrTypeIsWrong() {
    Operation add = Catalogue.get("add");
    Saved saved = add.forward(backend, List.of(MATRIX, MATRIX), NONE).saved();
    boolean[] both = {true, true};

    for (Tensor wrong : List.of(VECTOR, SCALAR, MATRIX.to(DType.FLOAT32), INTS)) {
      assertThat(failure(() -> add.backward(backend, saved, wrong, both)))
          .hasMessage(
              "add: the gradient is " + TensorType.of(wrong) + ", the output FLOAT64 [2, 3]");
    }
    assertThat(failure(() -> add.backward(backend, saved, MATRIX, new boolean[1])))
        .hasMessageContaining("needed=[false]");
    assertThat(failure(() -> Catalogue.get("mul").backward(backend, saved, MATRIX, both)))
        .hasMessage("mul: got what add saved");
  }

  @Test
  void operationWithoutGradientGivesNone() {
    Operation detach = Catalogue.get("detach");
    Saved detached = detach.forward(backend, List.of(MATRIX), NONE).saved();
    assertThat(failure(() -> detach.backward(backend, detached, MATRIX, new boolean[] {true})))
        .hasMessage("detach: input 0 (FLOAT64 [2, 3]) has no gradient");

    Operation loss = Catalogue.get("nll_loss");
    Saved saved = loss.forward(backend, List.of(MATRIX, Samples.longs(0, 1)), NONE).saved();
    assertThat(failure(() -> loss.backward(backend, saved, SCALAR, new boolean[] {false, true})))
        .hasMessage("nll_loss: input 1 (INT64 [2]) has no gradient");
  }

  @Test
  void backendChecksItsArguments() {
    Tensor index = Samples.longs(0, 3);
    int[] twice = {0, 0};
    assertThat(failure(() -> backend.binary(Backend.Binary.ADD, MATRIX, INTS)))
        .hasMessage("ADD: a is FLOAT64, b is INT64");
    assertThat(failure(() -> backend.binary(Backend.Binary.DIV, INTS, INTS)))
        .hasMessageContaining("floating-point");
    assertThat(failure(() -> backend.unary(Backend.Unary.EXP, INTS)))
        .hasMessageContaining("floating-point");
    assertThat(failure(() -> backend.reduce(Backend.Reduction.SUM, MATRIX, 2)))
        .hasMessageContaining("dims=[2] for shape=[2, 3]");
    assertThat(failure(() -> backend.permute(MATRIX, twice))).hasMessageContaining("dims=[0, 0]");
    assertThat(failure(() -> backend.permute(MATRIX, 0))).hasMessageContaining("dims=[0]");
    assertThat(failure(() -> backend.expand(MATRIX, 3, 2))).hasMessageContaining("[3, 2]");
    assertThat(failure(() -> backend.expand(MATRIX, 1, 3))).hasMessageContaining("[1, 3]");
    assertThat(failure(() -> backend.expand(MATRIX, -1, 3))).hasMessageContaining("[-1, 3]");
    assertThat(failure(() -> backend.matmul(VECTOR, false, MATRIX, false)))
        .hasMessageContaining("a.shape=[4] b.shape=[2, 3]");
    assertThat(failure(() -> backend.matmul(MATRIX, false, MATRIX, false)))
        .hasMessageContaining("inner dimensions differ");
    assertThat(failure(() -> backend.select(MATRIX, MATRIX, INTS)))
        .hasMessageContaining("a is FLOAT64, b is INT64");
    assertThat(failure(() -> backend.indexOf(Backend.Reduction.SUM, MATRIX, 0)))
        .hasMessageContaining("SUM of shape=[2, 3]");
    assertThat(failure(() -> backend.cumulate(MATRIX, 2, false))).hasMessageContaining("dims=[2]");
    assertThat(failure(() -> backend.concat(List.of(MATRIX, VECTOR), 1)))
        .hasMessageContaining("shape=[4] should be [2, 0]");
    assertThat(failure(() -> backend.take(MATRIX, 1, index)))
        .hasMessage("take: index 3 at position 1 of extent 3");
    assertThat(failure(() -> backend.take(MATRIX, 1, INTS))).hasMessageContaining("INT64 [6]");
    assertThat(failure(() -> backend.put(index, 0, index, 2))).hasMessageContaining("extent 2");
    assertThat(failure(() -> backend.put(index, 0, index, 1L << 40)))
        .hasMessageContaining("1099511627776");
    assertThat(failure(() -> backend.gather(MATRIX, 0, index)))
        .hasMessageContaining("index INT64 [2] is not within shape=[2, 3]");
    assertThat(failure(() -> backend.gather(MATRIX, 1, INTS)))
        .hasMessage("gather: index 3 at position 2 of extent 3");
    assertThat(failure(() -> backend.scatter(MATRIX, 0, INTS, 4, 3)))
        .hasMessage("scatter: index 4 at position 3 of extent 4");
    Window two = new Window(2, 1, 0, 1, 2);
    assertThat(failure(() -> backend.windows(MATRIX, two, two)))
        .hasMessage("windows: takes planes: shape=[2, 3]");
    assertThat(failure(() -> backend.windows(MATRIX, new Window(1, 0, 0, 1, 1), two)))
        .hasMessageContaining("stride=0");
    assertThat(failure(() -> backend.addWindows(MATRIX, two, two, 1, 3, 3)))
        .hasMessageContaining("shape=[2, 3] should be [1, 4, 4]");
  }

  private static GridException failure(ThrowingCallable call) {
    return catchThrowableOfType(GridException.class, call);
  }
}
