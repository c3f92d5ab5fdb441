package io.hazelgrad.autograd.internal.tape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The peer's C++ tests of the node from which tensors were sent. */
class SendNodeTest {
  private final Variable x = Variable.parameter(Tensor.full(DType.FLOAT64, 1, 3, 3));
  private final Variable y = Variable.parameter(Tensor.full(DType.FLOAT64, 1, 3, 3));
  private final Variable sum = x.add(y);
  private final Variable product = x.mul(y);
  private final SendNode send = sending(sum, product);

  private static SendNode sending(Variable... variables) {
    List<@Nullable Edge> edges = new ArrayList<>();
    Arrays.stream(variables).map(TapeVariable::edge).forEach(edges::add);
    List<TypeAndDevice> types =
        Arrays.stream(variables).map(each -> TypeAndDevice.of(each.value())).toList();
    return new SendNode(new MessageId(1, 1), edges, types);
  }

  private GradientEngine run(List<@Nullable Tensor> gradients) {
    send.accept(gradients);
    GradientEngine engine = new GradientEngine(List.of(send));
    engine.deliver(send, gradients);
    engine.run(() -> false);
    assertThat(engine.unfinished()).isEmpty();
    return engine;
  }

  private static double @Nullable [] gradient(GradientEngine engine, Variable leaf) {
    Edge edge = Objects.requireNonNull(TapeVariable.edge(leaf));
    Tensor gradient = engine.leaves().get((LeafNode) edge.node());
    return gradient == null ? null : gradient.toDoubles();
  }

  private static double[] filled(double value) {
    double[] filled = new double[9];
    Arrays.fill(filled, value);
    return filled;
  }

  @Test
  void gradientsFlowThroughSendNode() {
    GradientEngine engine =
        run(List.of(Tensor.full(DType.FLOAT64, 2, 3, 3), Tensor.full(DType.FLOAT64, 5, 3, 3)));
    assertThat(gradient(engine, x)).isEqualTo(filled(7));
    assertThat(gradient(engine, y)).isEqualTo(filled(7));
  }

  /** The peer fails here; with exact plans a tensor that the loss did not use is no mistake. */
  @Test
  void absentGradientAddsNothing() {
    GradientEngine one = run(Arrays.asList(Tensor.full(DType.FLOAT64, 2, 3, 3), null));
    assertThat(gradient(one, x)).isEqualTo(filled(2));
    GradientEngine none = run(Arrays.asList(null, null));
    assertThat(none.leaves()).isEmpty();
  }

  @Test
  void gradientIsRefusedWhenItDoesNotFit() {
    Tensor fitting = Tensor.full(DType.FLOAT64, 1, 3, 3);
    refused(List.of(fitting), "takes 2 gradients, got 1");
    refused(List.of(fitting, fitting, fitting), "takes 2 gradients, got 3");
    refused(
        List.of(fitting, Tensor.full(DType.FLOAT64, 1, 3)),
        "gradient 1 of send 1/1 must be FLOAT64 [3, 3]");
    refused(
        List.of(Tensor.full(DType.FLOAT32, 1, 3, 3), fitting),
        "gradient 0 of send 1/1 must be FLOAT64 [3, 3]");
  }

  private void refused(List<@Nullable Tensor> gradients, String why) {
    assertThatThrownBy(() -> send.accept(gradients))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.PASS_FAILED))
        .hasMessageContaining(why);
  }
}
