package io.hazelgrad.autograd.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Adadelta;
import io.hazelgrad.autograd.optim.Adagrad;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Adamax;
import io.hazelgrad.autograd.optim.NAdam;
import io.hazelgrad.autograd.optim.OneCycle;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.RAdam;
import io.hazelgrad.autograd.optim.RmsProp;
import io.hazelgrad.autograd.optim.Rprop;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Optimizing in one process: groups, missing gradients, states, failures. */
class LocalOptimizerTest {
  /** One of each, with the options that make them remember most. */
  static List<Optimizer> optimizers() {
    return List.of(
        Sgd.of(0.1),
        Sgd.of(0.1).withMomentum(0.9).withNesterov(true),
        Adam.defaults().withAmsgrad(true),
        AdamW.defaults(),
        Adagrad.defaults().withInitialAccumulator(0.1),
        Adadelta.defaults(),
        RmsProp.defaults().withCentered(true).withMomentum(0.5),
        Adamax.defaults(),
        Rprop.defaults(),
        NAdam.defaults(),
        RAdam.defaults().withBetas(0.9, 0.9));
  }

  private static Tensor random(long seed, DType dtype, int... shape) {
    long[] extents = new long[shape.length];
    int size = 1;
    for (int i = 0; i < shape.length; i++) {
      extents[i] = shape[i];
      size *= shape[i];
    }
    return Tensor.wrap(new Random(seed).doubles(size, -1, 1).toArray(), extents).to(dtype);
  }

  private static Variable parameter(long seed) {
    return Variable.parameter(random(seed, DType.FLOAT32, 40, 60));
  }

  /** Returns a gradient that depends on the step and on the number of the parameter only. */
  private static Function<Variable, @Nullable Tensor> gradients(
      int step, List<Variable> parameters) {
    return each -> {
      int number = parameters.indexOf(each);
      return step % 3 == 1 && number == 1
          ? null
          : random(100L * step + number, each.value().dtype(), 40, 60);
    };
  }

  private static GridException fails(Status status, String text, ThrowingCallable call) {
    GridException[] found = new GridException[1];
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class,
            e -> {
              found[0] = e;
              assertThat(e.status()).isEqualTo(status);
            })
        .hasMessageContaining(text);
    return found[0];
  }

  @Test
  void gradientsAreUsedAndClearedWhenAsked() {
    Variable w = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.5), List.of(w));
    w.mul(w).sum().backward();
    assertThat(optimizer.step().changed()).isEqualTo(1);
    assertThat(w.value().toDoubles()).containsExactly(0, 0);
    optimizer.zeroGrad();
    assertThat(w.grad()).isNull();
    assertThat(optimizer.step().changed()).isZero();
  }

  /** Without momentum it is made in one go, otherwise in blocks. */
  @Test
  void stepMovesEachOfManyElements() {
    int size = 3 * 1024 + 5; // Three blocks of an optimizer state, and a part of one.
    float[] start = new float[size];
    float[] slope = new float[size];
    for (int i = 0; i < size; i++) {
      start[i] = i / 7f;
      slope[i] = (i % 11 - 5) / 3f;
    }
    Tensor value = Tensor.wrap(start, size);
    Tensor gradient = Tensor.wrap(slope, size);
    for (Sgd plain : List.of(Sgd.of(0.1), Sgd.of(0.1).withMaximize(true))) {
      for (Sgd sgd : List.of(plain, plain.withMomentum(0.9), plain.withWeightDecay(0.5))) {
        for (double scale : new double[] {1, 0.3}) {
          float[] moved =
              (float[]) sgd.newState(value).step(value, gradient, 0.1, scale).storage().array();
          float sign = sgd.maximize() ? -1 : 1;
          for (int i = 0; i < size; i++) {
            float descent = slope[i] * (float) (sign * scale);
            if (sgd.weightDecay() != 0) {
              descent += 0.5f * start[i];
            }
            assertThat(moved[i]).isEqualTo(start[i] + -0.1f * descent);
          }
        }
      }
    }
    assertThat(start[size - 1]).as("the old value").isEqualTo((size - 1) / 7f);
  }

  @Test
  void groupsHaveOwnOptimizersAndOneSchedule() {
    Variable a = Variable.parameter(Tensor.scalar(0));
    Variable b = Variable.parameter(Tensor.scalar(0));
    LocalOptimizer optimizer =
        LocalOptimizer.builder()
            .parameters(Sgd.of(1), List.of(a))
            .parameters(Sgd.of(10).withMaximize(true), List.of(b))
            .schedule(Schedule.exponential(0.5))
            .build();
    optimizer.step(each -> Tensor.scalar(1));
    assertThat(a.value().item()).isEqualTo(-1);
    assertThat(b.value().item()).isEqualTo(10);
    optimizer.advanceSchedule();
    assertThat(optimizer.learningRates()).containsExactly(0.5, 5.0);
    optimizer.step(each -> Tensor.scalar(1));
    assertThat(a.value().item()).isEqualTo(-1.5);
    assertThat(b.value().item()).isEqualTo(15);
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void exportedStateContinuesBitForBit(Optimizer kind) {
    List<Variable> parameters = List.of(parameter(1), parameter(2), parameter(3));
    LocalOptimizer optimizer = LocalOptimizer.of(kind, parameters);
    for (int step = 0; step < 3; step++) {
      optimizer.step(gradients(step, parameters));
      optimizer.advanceSchedule();
    }
    List<Variable> copies =
        parameters.stream().map(each -> Variable.parameter(each.value())).toList();
    LocalOptimizer other = LocalOptimizer.of(kind, copies);
    OptimizerState state = optimizer.state();
    other.restore(state);
    for (int step = 3; step < 9; step++) {
      optimizer.step(gradients(step, parameters));
      other.step(gradients(step, copies));
    }
    for (int i = 0; i < parameters.size(); i++) {
      assertThat(copies.get(i).value()).isEqualTo(parameters.get(i).value());
    }
    assertThat(other.state().parameters()).isEqualTo(optimizer.state().parameters());
    assertThat(other.state().scheduleStep()).isEqualTo(3);
    assertThat(state.parameters().get(0).get("step").item()).isEqualTo(3);
    assertThat(state.parameters().get(1).get("step").item()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void unstartedStateIsExportedAsEmpty(Optimizer kind) {
    List<Variable> parameters = List.of(parameter(1), parameter(2));
    LocalOptimizer fresh = LocalOptimizer.of(kind, parameters);
    OptimizerState nothing = fresh.state();
    assertThat(nothing.parameters()).containsExactly(Map.of(), Map.of());
    Tensor before = parameters.get(0).value();
    fresh.step(gradients(0, parameters));
    Tensor after = parameters.get(0).value();
    parameters.get(0).set(before);
    fresh.restore(nothing);
    fresh.step(gradients(0, parameters));
    assertThat(parameters.get(0).value()).isEqualTo(after);
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void oldValuesAndGradientsStayUnchanged(Optimizer kind) {
    Variable w = parameter(1);
    Tensor before = w.value();
    Tensor copy = random(1, DType.FLOAT32, 40, 60);
    Tensor gradient = random(2, DType.FLOAT32, 40, 60);
    LocalOptimizer optimizer = LocalOptimizer.of(kind, List.of(w));
    optimizer.step(each -> gradient);
    optimizer.step(each -> gradient);
    assertThat(before).isEqualTo(copy);
    assertThat(gradient).isEqualTo(random(2, DType.FLOAT32, 40, 60));
    assertThat(w.value()).isNotEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void stepAllocatesNewValueOnly(Optimizer kind) {
    int size = 200_000;
    Variable w = Variable.parameter(random(1, DType.FLOAT32, size));
    Tensor gradient = random(2, DType.FLOAT32, size);
    LocalOptimizer optimizer =
        LocalOptimizer.builder().parameters(kind, List.of(w)).clipNorm(1).build();
    optimizer.step(each -> gradient);
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long fewest = Long.MAX_VALUE;
    for (int i = 0;
        i < 3;
        i++) { // The JVM allocates, too, when it links a call for the first time.
      long before = thread.getCurrentThreadAllocatedBytes();
      optimizer.step(each -> gradient);
      fewest = Math.min(fewest, thread.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(fewest).isLessThan(size * Float.BYTES + 50_000);
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void narrowAndEmptyTypesAreComputed(Optimizer kind) {
    for (DType dtype : List.of(DType.FLOAT16, DType.BFLOAT16)) {
      Variable narrow = Variable.parameter(random(1, dtype, 5));
      Variable wide = Variable.parameter(narrow.value().to(DType.FLOAT32));
      Tensor gradient = random(2, dtype, 5);
      LocalOptimizer.of(kind, List.of(narrow)).step(each -> gradient);
      LocalOptimizer.of(kind, List.of(wide)).step(each -> gradient.to(DType.FLOAT32));
      assertThat(narrow.value()).isEqualTo(wide.value().to(dtype));
    }
    Variable empty = Variable.parameter(Tensor.zeros(DType.FLOAT32, 0, 3));
    LocalOptimizer optimizer = LocalOptimizer.of(kind, List.of(empty));
    assertThat(optimizer.step(each -> empty.value()).changed()).isEqualTo(1);
    optimizer.restore(optimizer.state());
  }

  @Test
  void parameterStaysAndOthersStepWhenGradientDoesNotFit() {
    List<Variable> parameters = List.of(parameter(1), parameter(2), parameter(3));
    List<Tensor> before = parameters.stream().map(Variable::value).toList();
    LocalOptimizer optimizer = LocalOptimizer.of(Adam.defaults(), parameters);
    Map<Variable, Tensor> gradients = new HashMap<>();
    gradients.put(parameters.get(0), random(1, DType.FLOAT32, 40, 60));
    gradients.put(parameters.get(1), random(1, DType.FLOAT32, 60, 40));
    gradients.put(parameters.get(2), random(1, DType.FLOAT32, 40, 60));
    fails(
        Status.BAD_ARGUMENT,
        "parameter 1 made no step: the gradient is FLOAT32[60, 40], should be FLOAT32[40, 60]",
        () -> optimizer.step(gradients::get));
    assertThat(parameters.get(0).value()).isNotEqualTo(before.get(0));
    assertThat(parameters.get(1).value()).isEqualTo(before.get(1));
    assertThat(parameters.get(2).value()).isNotEqualTo(before.get(2));
    assertThat(optimizer.state().parameters().get(1)).isEmpty();
    gradients.put(parameters.get(1), random(1, DType.FLOAT64, 40, 60));
    fails(Status.BAD_ARGUMENT, "FLOAT64[40, 60]", () -> optimizer.step(gradients::get));
  }

  @Test
  void clippingFailsAndChangesNothingWhenNormIsNotFinite() {
    List<Variable> parameters = List.of(parameter(1), parameter(2));
    List<Tensor> before = parameters.stream().map(Variable::value).toList();
    LocalOptimizer optimizer =
        LocalOptimizer.builder().parameters(Sgd.of(1), parameters).clipNorm(1).build();
    for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      Map<Variable, Tensor> gradients = new HashMap<>();
      gradients.put(parameters.get(0), random(1, DType.FLOAT32, 40, 60));
      gradients.put(parameters.get(1), Tensor.full(DType.FLOAT32, wrong, 40, 60));
      fails(
          Status.BAD_ARGUMENT,
          "parameter 1 has the norm " + wrong,
          () -> optimizer.step(gradients::get));
    }
    assertThat(parameters).extracting(Variable::value).isEqualTo(before);
  }

  @Test
  void clippingDoesNothingWithoutGradients() {
    LocalOptimizer optimizer =
        LocalOptimizer.builder().parameters(Sgd.of(1), List.of(parameter(1))).clipNorm(1).build();
    StepResult result = optimizer.step(each -> null);
    assertThat(result.changed()).isZero();
    assertThat(result.gradientNorm()).hasValue(0);
  }

  @Test
  void clippingScalesGradientsOfCustomOptimizers() {
    Variable w = Variable.parameter(Tensor.of(new double[] {0, 0}, 2));
    LocalOptimizer optimizer =
        LocalOptimizer.builder().parameters(new Plain(1), List.of(w)).clipNorm(1).build();
    Tensor gradient = Tensor.of(new double[] {3, 4}, 2);
    assertThat(optimizer.step(each -> gradient).gradientNorm()).hasValue(5);
    assertThat(w.value().toDoubles()).containsExactly(new double[] {-0.6, -0.8}, within(1e-6));
    assertThat(gradient.toDoubles()).containsExactly(3, 4);
  }

  /** An optimizer of the user's, who forgot that something can be negative. */
  private record Plain(double learningRate) implements Optimizer {
    @Override
    public State newState(Tensor parameter) {
      return new State() {
        @Override
        public Tensor step(Tensor value, Tensor gradient, double rate) {
          double[] v = value.toDoubles();
          for (int i = 0; i < v.length; i++) {
            v[i] -= rate * gradient.toDoubles()[i];
          }
          if (v[0] < -5) {
            throw new IllegalStateException("too low");
          }
          return Tensor.wrap(v, value.shape());
        }

        @Override
        public Map<String, Tensor> export() {
          return Map.of();
        }

        @Override
        public void restore(Map<String, Tensor> exported) {}
      };
    }
  }

  @Test
  void failureOfCustomOptimizerNamesParameter() {
    Variable w = Variable.parameter(Tensor.of(new double[] {0}, 1));
    LocalOptimizer optimizer = LocalOptimizer.of(new Plain(1), List.of(w));
    GridException failure =
        fails(
            Status.USER_ERROR,
            "parameter 0 made no step: java.lang.IllegalStateException: too low",
            () -> optimizer.step(each -> Tensor.of(new double[] {7}, 1)));
    assertThat(failure).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(w.value().toDoubles()).containsExactly(0);
  }

  @Test
  void stateIsRefusedAndChangesNothingWhenItDoesNotFit() {
    List<Variable> parameters = List.of(parameter(1), parameter(2));
    LocalOptimizer optimizer = LocalOptimizer.of(Adam.defaults(), parameters);
    optimizer.step(gradients(0, parameters));
    OptimizerState before = optimizer.state();
    Map<String, Tensor> good = before.parameters().get(0);

    refused(
        optimizer, "this optimizer has 2 parameters, the state to restore has 1", List.of(good));
    Map<String, Tensor> less = new HashMap<>(good);
    less.remove("exp_avg");
    refused(optimizer, "parameter 1 cannot be restored: the state of another", List.of(good, less));
    refused(optimizer, "exp_avg_sq is FLOAT32[2]", List.of(good, with(good, "exp_avg_sq", 2)));
    refused(optimizer, "step is ", List.of(good, with(good, "step", 1)));
    Map<String, Tensor> negative = new HashMap<>(good);
    negative.put("step", Tensor.wrap(new long[] {-1}));
    refused(optimizer, "step is -1", List.of(good, negative));
    LocalOptimizer other = LocalOptimizer.of(Sgd.of(1), parameters);
    fails(Status.BAD_ARGUMENT, "the state of another optimizer", () -> other.restore(before));
    assertThat(optimizer.state()).isEqualTo(before);
  }

  private static Map<String, Tensor> with(Map<String, Tensor> state, String name, int size) {
    Map<String, Tensor> changed = new HashMap<>(state);
    changed.put(name, Tensor.zeros(DType.FLOAT32, size));
    return changed;
  }

  private static void refused(
      LocalOptimizer optimizer, String text, List<Map<String, Tensor>> states) {
    OptimizerState state = new OptimizerState(states, 7);
    fails(Status.BAD_ARGUMENT, text, () -> optimizer.restore(state));
  }

  @Test
  void variableIsRefusedWhenItCannotBeOptimized() {
    Variable w = parameter(1);
    Sgd sgd = Sgd.of(1);
    fails(Status.BAD_ARGUMENT, "no parameters", () -> LocalOptimizer.of(sgd, List.of()));
    fails(Status.BAD_ARGUMENT, "twice", () -> LocalOptimizer.of(sgd, List.of(w, w)));
    fails(
        Status.BAD_ARGUMENT,
        "parameter 1 needs no gradient",
        () -> LocalOptimizer.of(sgd, List.of(w, w.detach())));
    fails(Status.BAD_ARGUMENT, "clipNorm", () -> LocalOptimizer.builder().clipNorm(0));
  }

  @Test
  void numberIsRefusedWhenWrong() {
    for (double wrong : new double[] {-1, Double.NaN}) {
      String text = "=" + wrong + ", but it must be";
      List<ThrowingCallable> calls =
          List.of(
              () -> Sgd.of(wrong),
              () -> Sgd.of(1).withMomentum(wrong),
              () -> Sgd.of(1).withWeightDecay(wrong),
              () -> Adam.defaults().withBetas(wrong, 0.9),
              () -> Adam.defaults().withBetas(0.9, wrong),
              () -> AdamW.defaults().withEpsilon(wrong),
              () -> Adagrad.defaults().withLearningRateDecay(wrong),
              () -> Adadelta.defaults().withRho(wrong),
              () -> RmsProp.defaults().withAlpha(wrong),
              () -> Rprop.defaults().withEtas(wrong, 1.2),
              () -> Rprop.defaults().withEtas(0.5, wrong),
              () -> NAdam.defaults().withMomentumDecay(wrong),
              () -> RAdam.defaults().withWeightDecay(wrong),
              () -> Schedule.linear(wrong, 1, 3),
              () -> OneCycle.of(wrong, 3));
      calls.forEach(call -> fails(Status.BAD_ARGUMENT, text, call));
    }
    fails(Status.BAD_ARGUMENT, "momentum=0.0", () -> Sgd.of(1).withNesterov(true));
    fails(Status.BAD_ARGUMENT, "size=0", () -> Schedule.step(0, 0.5));
    fails(Status.BAD_ARGUMENT, "length=0", () -> Schedule.cosineAnnealing(0, 0));
    fails(
        Status.BAD_ARGUMENT,
        "no learning rate for step 4",
        () -> OneCycle.of(1, 3).learningRate(1, 4));
  }

  @Test
  void customScheduleIsRefusedBeforeChangesWhenNotANumber() {
    Variable w = parameter(1);
    Tensor before = w.value();
    LocalOptimizer optimizer =
        LocalOptimizer.builder()
            .parameters(Sgd.of(1), List.of(w))
            .schedule((base, step) -> Double.NaN)
            .build();
    fails(Status.BAD_ARGUMENT, "at step 0=NaN", () -> optimizer.step(each -> w.value()));
    assertThat(w.value()).isEqualTo(before);
  }

  /** Every step adds one to each element; none may be lost. */
  @Test
  void stepsOfSeveralOptimizersApplyInTurn() throws Exception {
    Variable w = Variable.parameter(Tensor.zeros(DType.FLOAT64, 300));
    Tensor ones = Tensor.full(DType.FLOAT64, 1, 300);
    int steps = 2_000;
    CyclicBarrier start = new CyclicBarrier(3);
    List<Thread> threads = new ArrayList<>();
    LocalOptimizer shared = LocalOptimizer.of(Sgd.of(1).withMaximize(true), List.of(w));
    for (int i = 0; i < 3; i++) {
      LocalOptimizer optimizer =
          i == 2 ? LocalOptimizer.of(Sgd.of(1).withMaximize(true), List.of(w)) : shared;
      Thread thread =
          new Thread(
              () -> {
                awaitAll(start);
                for (int step = 0; step < steps; step++) {
                  optimizer.step(each -> ones);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(w.value()).isEqualTo(Tensor.full(DType.FLOAT64, 3 * steps, 300));
    assertThat(shared.state().parameters().get(0).get("step").item()).isEqualTo(2 * steps);
  }

  private static void awaitAll(CyclicBarrier start) {
    try {
      int unused = start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
