package io.hazelgrad.tests.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.graph.GraphInfo;
import io.hazelgrad.autograd.graph.GraphInput;
import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** Graphs that are deployed, called, replaced and undeployed. */
class GraphCallsTest {
  private static final Tensor ONES = Tensor.full(DType.FLOAT32, 1, 2, 3);

  private static InProcessGrids grids;
  private static Grid a;
  private static Grid b;

  @BeforeAll
  static void start() {
    grids = InProcessGrids.join("a", "b");
    a = grids.grid("a");
    b = grids.grid("b");
  }

  @AfterAll
  static void stop() {
    grids.close();
  }

  @AfterEach
  void nothingIsLeft() {
    Graphs graphs = Graphs.of(a);
    graphs.list().forEach(info -> graphs.undeploy(info.name()));
    assertThat(Graphs.of(a).loaded()).isEmpty();
    assertThat(Graphs.of(b).loaded()).isEmpty();
    assertThat(a.outstandingCalls() + b.outstandingCalls()).isZero();
  }

  /** x * factor + bias, with a constant bias, and the sum of x. */
  private static SameDiff scale(double factor) {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, -1, 3);
    SDVariable bias = sd.constant("bias", Nd4j.createFromArray(1.0f, 2.0f, 3.0f));
    x.mul(factor).add("y", bias);
    x.sum("total");
    return sd;
  }

  @Test
  void graphIsCalledLikeFunction() {
    GraphInfo info = Graphs.of(a).deploy("first", scale(2), "y");
    assertThat(info.version()).isEqualTo(1);
    assertThat(info.inputs()).containsExactly(new GraphInput("x", DType.FLOAT32, List.of(-1L, 3L)));
    Function<Tensor> scale = Function.graph("first");
    Tensor expected = Tensor.of(new float[] {3, 4, 5, 3, 4, 5}, 2, 3);
    assertThat(a.rpc().sync("b", scale, ONES)).isEqualTo(expected);
    assertThat(a.rpc().async("b", scale, ONES).join()).isEqualTo(expected);
    assertThat(a.rpc().sync("a", scale, ONES)).isEqualTo(expected);
    assertThat(b.rpc().sync("a", scale, Map.of("x", ONES))).isEqualTo(expected);
    assertThat(Graphs.of(b).find("first")).contains(info);
    assertThat(Graphs.of(b).list()).containsExactly(info);
  }

  @Test
  void outputsAreReturnedByName() {
    Graphs.of(a).deploy("both", scale(2), "total", "y");
    Map<String, Tensor> results = a.rpc().sync("b", Function.graph("both"), ONES);
    assertThat(results).containsOnlyKeys("total", "y");
    assertThat(results.keySet()).containsExactly("total", "y");
    assertThat(results.get("total").item()).isEqualTo(6);
  }

  @Test
  void inputsMayHaveOrder() {
    SameDiff sd = SameDiff.create();
    sd.placeHolder("a", DataType.DOUBLE).sub("d", sd.placeHolder("b", DataType.DOUBLE));
    Graphs.of(a).deploy("usual", sd, "d");
    Graphs.of(a).deploy("turned", sd, List.of("b", "a"), List.of("d"));
    Tensor five = Tensor.scalar(5);
    Tensor three = Tensor.scalar(3);
    Tensor usual = a.rpc().sync("b", Function.graph("usual"), five, three);
    Tensor turned = a.rpc().sync("b", Function.graph("turned"), five, three);
    assertThat(usual.item()).isEqualTo(2);
    assertThat(turned.item()).isEqualTo(-2);
  }

  @Test
  void argumentsAreRefusedByCallerWhenWrong() {
    Graphs.of(a).deploy("scale", scale(2), "y");
    Function<Tensor> scale = Function.graph("scale");
    refused(Status.BAD_ARGUMENT, "takes 1 tensors", () -> a.rpc().async("b", scale));
    refused(Status.BAD_ARGUMENT, "takes 1 tensors", () -> a.rpc().async("b", scale, ONES, ONES));
    refused(Status.BAD_ARGUMENT, "got java.lang.String", () -> a.rpc().async("b", scale, "x"));
    refused(Status.BAD_ARGUMENT, "got null", () -> a.rpc().async("b", scale, (Object) null));
    refused(
        Status.BAD_ARGUMENT,
        "to(DType.FLOAT32)",
        () -> a.rpc().async("b", scale, ONES.to(DType.FLOAT64)));
    refused(
        Status.BAD_ARGUMENT,
        "takes the shape [-1, 3]",
        () -> a.rpc().async("b", scale, ONES.reshape(3, 2)));
    refused(
        Status.BAD_ARGUMENT,
        "must not be empty",
        () -> a.rpc().async("b", scale, Tensor.zeros(DType.FLOAT32, 0, 3)));
    refused(
        Status.BAD_ARGUMENT,
        "has no input \"z\"",
        () -> a.rpc().async("b", scale, Map.of("z", ONES)));
    refused(Status.BAD_ARGUMENT, "lacks the input", () -> a.rpc().async("b", scale, Map.of()));
    assertThat(Graphs.of(b).loaded()).isEmpty();
  }

  @Test
  void callIsRefusedWhenGraphIsUnknown() {
    refused(
        Status.UNKNOWN_FUNCTION,
        "no graph is deployed under the name \"nowhere\"",
        () -> a.rpc().async("b", Function.graph("nowhere"), ONES));
    refused(Status.BAD_ARGUMENT, "must match", () -> a.rpc().async("b", Function.graph(" "), ONES));
  }

  @Test
  void deploymentIsRefusedWhenNameIsTaken() {
    Graphs graphs = Graphs.of(a);
    refused(Status.UNKNOWN_FUNCTION, "no graph", () -> graphs.replace("name", scale(2), "y"));
    graphs.deploy("name", scale(2), "y");
    refused(
        Status.BAD_ARGUMENT, "deployed already", () -> Graphs.of(b).deploy("name", scale(2), "y"));
    assertThat(graphs.replace("name", scale(3), "y").version()).isEqualTo(2);
    assertThat(graphs.undeploy("name")).isTrue();
    assertThat(graphs.undeploy("name")).isFalse();
    assertThat(graphs.list()).isEmpty();
    assertThat(graphs.deploy("name", scale(2), "y").version()).isEqualTo(4);
  }

  @Test
  void deploymentIsRefusedWhenGraphIsInvalid() {
    Graphs graphs = Graphs.of(a);
    refused(Status.BAD_ARGUMENT, "name at least one variable", () -> graphs.deploy("g", scale(2)));
    refused(
        Status.BAD_ARGUMENT,
        "graph \"g\": the graph has no output \"z\"",
        () -> graphs.deploy("g", scale(2), "z"));
    refused(Status.BAD_ARGUMENT, "must match", () -> graphs.deploy("a b", scale(2), "y"));
    SameDiff sd = scale(2);
    sd.cumsum("sums", sd.getVariable("x"), 0);
    refused(
        Status.NOT_ALLOWED, "has the operation \"cumsum\"", () -> graphs.deploy("g", sd, "sums"));
    SameDiff large = SameDiff.create();
    large.identity("y", large.constant("c", Nd4j.zeros(DataType.DOUBLE, 9 << 20)));
    refused(
        Status.BAD_VALUE, "more than " + Graphs.MAX_BYTES, () -> graphs.deploy("g", large, "y"));
    assertThat(graphs.list()).isEmpty();
  }

  @Test
  void callsRunNewVersionAfterReplacement() {
    // A name of its own: versions go on after a graph of the same name was removed.
    Graphs.of(a).deploy("replaced", scale(2), "total");
    Function<Tensor> scale = Function.graph("replaced");
    assertThat(b.rpc().sync("a", scale, ONES).item()).isEqualTo(6);
    assertThat(a.rpc().sync("b", scale, ONES).item()).isEqualTo(6);
    SameDiff other = SameDiff.create();
    other.placeHolder("v", DataType.DOUBLE, 2).mean("m");
    Graphs.of(a).replace("replaced", other, "m");
    Tensor v = Tensor.of(new double[] {1, 2}, 2);
    assertThat(Graphs.of(b).loaded()).as("freed at once").isEmpty();
    assertThat(b.rpc().sync("a", scale, v).item()).isEqualTo(1.5);
    assertThat(a.rpc().sync("b", scale, v).item()).isEqualTo(1.5);
    refused(Status.BAD_ARGUMENT, "takes FLOAT64", () -> b.rpc().async("a", scale, ONES));
    assertThat(Graphs.of(b).loaded()).containsExactly(Map.entry("replaced", 2L));
  }

  @Test
  void callsSucceedDuringReplacement() {
    Graphs.of(a).deploy("scale", scale(1), "y");
    Function<Tensor> scale = Function.graph("scale");
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int version = 2; version <= 12; version++) {
      for (int i = 0; i < 40; i++) {
        calls.add(a.rpc().async(i % 2 == 0 ? "b" : "a", scale, ONES));
      }
      Graphs.of(b).replace("scale", scale(version), "y");
      double first = a.rpc().sync("b", scale, ONES).toDoubles()[0];
      assertThat(first).as("after version %s", version).isEqualTo(version + 1);
    }
    for (CompletableFuture<Tensor> call : calls) {
      double[] y = call.join().toDoubles();
      assertThat(y[1] - y[0]).isEqualTo(1);
      assertThat(y[0]).isBetween(2.0, 13.0);
    }
  }

  @Test
  void graphRunsOnManyThreads() {
    Graphs.of(a).deploy("scale", scale(3), "y");
    Function<Tensor> scale = Function.graph("scale");
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      calls.add(
          (i % 2 == 0 ? a : b)
              .rpc()
              .async("b", scale, Tensor.full(DType.FLOAT32, i, 1 + i % 5, 3)));
    }
    for (int i = 0; i < calls.size(); i++) {
      Tensor y = calls.get(i).join();
      assertThat(y.shape(0)).isEqualTo(1 + i % 5);
      assertThat(y.toDoubles()).startsWith(3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
  }

  @Test
  void undeployedGraphIsUnknownEverywhere() {
    Graphs.of(a).deploy("scale", scale(2), "y");
    Function<Tensor> scale = Function.graph("scale");
    Tensor unused = a.rpc().sync("b", scale, ONES);
    assertThat(Graphs.of(b).undeploy("scale")).isTrue();
    assertThat(Graphs.of(b).loaded()).isEmpty();
    refused(Status.UNKNOWN_FUNCTION, "no graph", () -> a.rpc().async("b", scale, ONES));
  }

  private static void refused(Status status, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.toString()).isEqualTo(status))
        .hasMessageContaining(message);
  }
}
