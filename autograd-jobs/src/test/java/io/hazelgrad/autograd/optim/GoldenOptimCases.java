package io.hazelgrad.autograd.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Parameters after each step, learning rates and clipped gradients are those of torch 1.13. {@code
 * golden_optim.py} made and describes the cases; with {@code -Dhazelgrad.golden.optim=FILE} others
 * of the format are taken.
 */
public abstract class GoldenOptimCases {
  private static final double TOLERANCE_64 = 1e-10;
  private static final double TOLERANCE_32 = 2e-5;

  private final Device device;

  /** Tests optimizers of parameters on a device. */
  protected GoldenOptimCases(Device device) {
    this.device = device;
  }

  @TestFactory
  protected final Stream<DynamicTest> stepsAgreeWithTorch() throws IOException {
    return cases("cases")
        .map(
            c ->
                dynamicTest(
                    text(c, "optimizer") + " " + text(c, "case") + " " + text(c, "dtype"),
                    () -> checkSteps(c)));
  }

  @TestFactory
  protected final Stream<DynamicTest> schedulesAgreeWithTorch() throws IOException {
    return cases("schedules").map(c -> dynamicTest(text(c, "schedule"), () -> checkSchedule(c)));
  }

  @TestFactory
  protected final Stream<DynamicTest> clippingAgreesWithTorch() throws IOException {
    return cases("clip").map(c -> dynamicTest("to " + c.get("max_norm"), () -> checkClipping(c)));
  }

  private static Stream<JsonNode> cases(String kind) throws IOException {
    String file = System.getProperty("hazelgrad.golden.optim");
    try (InputStream in =
        file == null
            ? Objects.requireNonNull(GoldenOptimCases.class.getResourceAsStream("optim.json"))
            : Files.newInputStream(Path.of(file))) {
      JsonNode found = new ObjectMapper().readTree(in).get(kind);
      assertThat(found).as(kind).isNotEmpty();
      return StreamSupport.stream(found.spliterator(), false);
    }
  }

  private void checkSteps(JsonNode golden) {
    List<Variable> parameters = new ArrayList<>();
    for (JsonNode parameter : golden.get("params")) {
      parameters.add(Variable.parameter(tensor(parameter).to(device)));
    }
    LocalOptimizer optimizer =
        LocalOptimizer.of(
            optimizer(text(golden, "optimizer"), new Options(golden.get("options"))), parameters);
    int number = 0;
    for (JsonNode step : golden.get("steps")) {
      Map<Variable, Tensor> gradients = new HashMap<>();
      for (int i = 0; i < parameters.size(); i++) {
        JsonNode gradient = step.get("grads").get(i);
        if (!gradient.isNull()) {
          gradients.put(parameters.get(i), tensor(gradient).to(device));
        }
      }
      assertThat(optimizer.step(gradients::get).changed()).isEqualTo(gradients.size());
      for (int i = 0; i < parameters.size(); i++) {
        String what = "parameter " + i + " after step " + number;
        assertThat(parameters.get(i).value().device()).isEqualTo(device);
        assertClose(what, parameters.get(i).value(), tensor(step.get("params").get(i)));
      }
      number++;
    }
  }

  private void checkSchedule(JsonNode golden) {
    Schedule schedule = schedule(text(golden, "schedule"), new Options(golden.get("options")));
    Variable parameter = Variable.parameter(Tensor.scalar(1));
    LocalOptimizer optimizer =
        LocalOptimizer.builder()
            .parameters(Sgd.of(golden.get("base_lr").asDouble()), List.of(parameter))
            .schedule(schedule)
            .build();
    int step = 0;
    for (JsonNode rate : golden.get("lr")) {
      double expected = rate.asDouble();
      assertThat(optimizer.learningRates().get(0))
          .as("step %d", step++)
          .isCloseTo(expected, within(1e-12 + 1e-10 * Math.abs(expected)));
      optimizer.advanceSchedule();
    }
  }

  /** With descent of rate 1 from zero, the parameters are the clipped gradients, negated. */
  private void checkClipping(JsonNode golden) {
    List<Variable> parameters = new ArrayList<>();
    Map<Variable, Tensor> gradients = new HashMap<>();
    for (JsonNode gradient : golden.get("grads")) {
      Tensor tensor = tensor(gradient).to(device);
      Variable zeros = Variable.parameter(Tensor.zeros(tensor.dtype(), tensor.shape()).to(device));
      gradients.put(zeros, tensor);
      parameters.add(zeros);
    }
    LocalOptimizer optimizer =
        LocalOptimizer.builder()
            .parameters(Sgd.of(1).withMaximize(true), parameters)
            .clipNorm(golden.get("max_norm").asDouble())
            .build();
    double norm = optimizer.step(gradients::get).gradientNorm().orElseThrow();
    double expected = golden.get("norm").asDouble();
    assertThat(norm).isCloseTo(expected, within(tolerance(parameters.get(0).value()) * expected));
    for (int i = 0; i < parameters.size(); i++) {
      assertClose("gradient " + i, parameters.get(i).value(), tensor(golden.get("clipped").get(i)));
    }
  }

  private static Optimizer optimizer(String name, Options o) {
    boolean maximize = o.flag("maximize");
    double weightDecay = o.number("weight_decay", name.equals("AdamW") ? 0.01 : 0);
    Optimizer optimizer =
        switch (name) {
          case "SGD" ->
              Sgd.of(o.number("lr", Double.NaN))
                  .withMomentum(o.number("momentum", 0))
                  .withDampening(o.number("dampening", 0))
                  .withWeightDecay(weightDecay)
                  .withNesterov(o.flag("nesterov"))
                  .withMaximize(maximize);
          case "Adam" -> {
            Adam base = Adam.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withBetas(o.number("betas", 0, base.beta1()), o.number("betas", 1, base.beta2()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withAmsgrad(o.flag("amsgrad"))
                .withMaximize(maximize);
          }
          case "AdamW" -> {
            AdamW base = AdamW.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withBetas(o.number("betas", 0, base.beta1()), o.number("betas", 1, base.beta2()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withAmsgrad(o.flag("amsgrad"))
                .withMaximize(maximize);
          }
          case "Adagrad" -> {
            Adagrad base = Adagrad.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withLearningRateDecay(o.number("lr_decay", 0))
                .withWeightDecay(weightDecay)
                .withInitialAccumulator(o.number("initial_accumulator_value", 0))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withMaximize(maximize);
          }
          case "Adadelta" -> {
            Adadelta base = Adadelta.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withRho(o.number("rho", base.rho()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withMaximize(maximize);
          }
          case "RMSprop" -> {
            RmsProp base = RmsProp.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withAlpha(o.number("alpha", base.alpha()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withMomentum(o.number("momentum", 0))
                .withCentered(o.flag("centered"))
                .withMaximize(maximize);
          }
          case "Adamax" -> {
            Adamax base = Adamax.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withBetas(o.number("betas", 0, base.beta1()), o.number("betas", 1, base.beta2()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withMaximize(maximize);
          }
          case "Rprop" -> {
            Rprop base = Rprop.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withEtas(o.number("etas", 0, base.etaMinus()), o.number("etas", 1, base.etaPlus()))
                .withSteps(
                    o.number("step_sizes", 0, base.leastStep()),
                    o.number("step_sizes", 1, base.greatestStep()))
                .withMaximize(maximize);
          }
          case "NAdam" -> {
            NAdam base = NAdam.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withBetas(o.number("betas", 0, base.beta1()), o.number("betas", 1, base.beta2()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withMomentumDecay(o.number("momentum_decay", base.momentumDecay()))
                .withMaximize(maximize);
          }
          case "RAdam" -> {
            RAdam base = RAdam.defaults();
            yield base.withLearningRate(o.number("lr", base.learningRate()))
                .withBetas(o.number("betas", 0, base.beta1()), o.number("betas", 1, base.beta2()))
                .withEpsilon(o.number("eps", base.epsilon()))
                .withWeightDecay(weightDecay)
                .withMaximize(maximize);
          }
          default -> throw new AssertionError("no optimizer " + name);
        };
    o.checkAllUsed();
    return optimizer;
  }

  private static Schedule schedule(String name, Options o) {
    Schedule schedule =
        switch (name) {
          case "StepLR" -> Schedule.step((long) o.number("step_size", 0), o.number("gamma", 0.1));
          case "MultiStepLR" ->
              Schedule.multiStep(o.number("gamma", 0.1), o.integers("milestones"));
          case "ExponentialLR" -> Schedule.exponential(o.number("gamma", Double.NaN));
          case "CosineAnnealingLR" ->
              Schedule.cosineAnnealing((long) o.number("T_max", 0), o.number("eta_min", 0));
          case "LinearLR" ->
              Schedule.linear(
                  o.number("start_factor", 1.0 / 3),
                  o.number("end_factor", 1),
                  (long) o.number("total_iters", 5));
          case "OneCycleLR" ->
              OneCycle.of(o.number("max_lr", Double.NaN), (long) o.number("total_steps", 0))
                  .withUpPart(o.number("pct_start", 0.3))
                  .withDivFactors(o.number("div_factor", 25), o.number("final_div_factor", 1e4))
                  .withLinear(o.text("anneal_strategy", "cos").equals("linear"))
                  .withThreePhase(o.flag("three_phase"));
          default -> throw new AssertionError("no schedule " + name);
        };
    o.checkAllUsed();
    return schedule;
  }

  /** The arguments of a constructor of torch's; what is absent has its default. */
  private record Options(JsonNode node, TreeSet<String> left) {
    Options(JsonNode node) {
      this(node, new TreeSet<>());
      node.fieldNames().forEachRemaining(left::add);
    }

    private JsonNode get(String name) {
      left.remove(name);
      return node.path(name);
    }

    double number(String name, double otherwise) {
      return get(name).asDouble(otherwise);
    }

    double number(String name, int index, double otherwise) {
      return get(name).path(index).asDouble(otherwise);
    }

    boolean flag(String name) {
      return get(name).asBoolean(false);
    }

    String text(String name, String otherwise) {
      return get(name).asText(otherwise);
    }

    long[] integers(String name) {
      return StreamSupport.stream(get(name).spliterator(), false)
          .mapToLong(JsonNode::asLong)
          .toArray();
    }

    /** No option of a case was overlooked. */
    void checkAllUsed() {
      assertThat(left).isEmpty();
    }
  }

  private static double tolerance(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64 ? TOLERANCE_64 : TOLERANCE_32;
  }

  private static void assertClose(String what, Tensor actual, Tensor expected) {
    assertThat(actual.dtype()).as(what).isEqualTo(expected.dtype());
    assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
    double tolerance = tolerance(expected);
    double[] got = actual.toDoubles();
    double[] want = expected.toDoubles();
    for (int i = 0; i < want.length; i++) {
      assertThat(got[i])
          .as("%s, element %d", what, i)
          .isCloseTo(want[i], within(tolerance + tolerance * Math.abs(want[i])));
    }
  }

  private static String text(JsonNode node, String name) {
    return node.get(name).asText();
  }

  private static Tensor tensor(JsonNode node) {
    long[] shape = new long[node.get("shape").size()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = node.get("shape").get(i).asLong();
    }
    double[] data = new double[node.get("data").size()];
    for (int i = 0; i < data.length; i++) {
      data[i] = node.get("data").get(i).asDouble();
    }
    return Tensor.wrap(data, shape).to(DType.valueOf(text(node, "dtype").toUpperCase(Locale.ROOT)));
  }
}
