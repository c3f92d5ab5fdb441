package io.hazelgrad.tests.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.cli.gpt.CharTransformer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pipelines of up to three workers, compared with the whole model in one process. */
class PipelineTest {
  private static final CharTransformer.Shape SHAPE = new CharTransformer.Shape(7, 5, 4, 2, 8);

  @SuppressWarnings("NullAway.Init")
  private static TestStages workers;

  private final CharTransformer whole = new CharTransformer(SHAPE, Init.seeded(1));

  @BeforeAll
  static void start() {
    workers = new TestStages("A", "B", "C");
  }

  @AfterEach
  void closePipeline() {
    workers.closePipeline();
  }

  @AfterAll
  static void stop() {
    workers.close();
  }

  private List<CharTransformer> stages(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> {
              CharTransformer stage = new CharTransformer(SHAPE, i, count, Init.seeded(2));
              Map<String, Tensor> part = new LinkedHashMap<>(whole.state());
              part.keySet().retainAll(stage.state().keySet());
              stage.load(part);
              return stage;
            })
        .toList();
  }

  private static List<Tensor> rows(int micros, long seed) {
    Random random = new Random(seed);
    return IntStream.range(0, micros)
        .mapToObj(i -> Tensor.wrap(random.longs(10, 0, SHAPE.vocab()).toArray(), 2, 5))
        .toList();
  }

  /** Predicts the row itself. */
  private static Pipeline.Loss loss(List<Tensor> rows) {
    return (micro, output) ->
        output.reshape(-1, SHAPE.vocab()).crossEntropy(Variable.of(rows.get(micro)).reshape(-1));
  }

  private double stepOfWhole(List<Tensor> inputs) {
    double sum = 0;
    for (int i = 0; i < inputs.size(); i++) {
      Variable each = loss(inputs).of(i, whole.forward(Variable.of(inputs.get(i))));
      sum += each.value().item();
      each.div(Variable.of(Tensor.full(each.value().dtype(), inputs.size()))).backward();
    }
    return sum / inputs.size();
  }

  private static Map<String, Tensor> gradients(Module<?, ?> module) {
    Map<String, Tensor> gradients = new LinkedHashMap<>();
    module
        .namedParameters()
        .forEach((name, each) -> gradients.put(name, Objects.requireNonNull(each.grad(), name)));
    return gradients;
  }

  private static Stream<Arguments> pipelines() {
    return IntStream.rangeClosed(1, 3)
        .boxed()
        .flatMap(
            stages ->
                Stream.of(PipelineSchedule.values())
                    .flatMap(
                        schedule ->
                            IntStream.of(1, 4)
                                .mapToObj(micros -> Arguments.of(stages, micros, schedule))));
  }

  @ParameterizedTest
  @MethodSource("pipelines")
  void lossesAndGradientsHaveTheBitsOfTheWholeModel(
      int count, int micros, PipelineSchedule schedule) {
    List<CharTransformer> stages = stages(count);
    List<Pipeline> pipeline = workers.pipeline(stages, micros, schedule);
    for (int step = 0; step < 2; step++) { // The second one adds its gradients to the first one's.
      List<Tensor> rows = rows(micros, step);
      assertThat(Rpc.awaitAll(TestStages.step(pipeline, rows, loss(rows))))
          .containsOnly(stepOfWhole(rows));
    }
    Map<String, Tensor> gradients = new LinkedHashMap<>();
    stages.forEach(each -> gradients.putAll(gradients(each)));
    assertThat(gradients).isEqualTo(gradients(whole));
  }

  @ParameterizedTest
  @EnumSource
  void integersPassFromStageToStageWithoutGradients(PipelineSchedule schedule) {
    Module<Variable, Variable> nothing = Module.of(x -> x);
    List<Tensor> rows = rows(2, 1);
    List<Pipeline> pipeline = workers.pipeline(List.of(nothing, nothing, whole), 2, schedule);
    assertThat(Rpc.awaitAll(TestStages.step(pipeline, rows, loss(rows)))).hasSize(3);
    assertThat(gradients(whole)).hasSameSizeAs(whole.parameters());
  }

  @ParameterizedTest
  @EnumSource
  void gradientsAreZeroBeforeAStageThatDetaches(PipelineSchedule schedule) {
    Module<Variable, Variable> detaching = Module.of(Variable::detach);
    Module<Variable, Variable> relu = Module.of(Variable::relu);
    List<Tensor> rows = rows(2, 1);
    List<Pipeline> pipeline = workers.pipeline(List.of(whole, detaching, relu), 2, schedule);
    assertThat(Rpc.awaitAll(TestStages.step(pipeline, rows, loss(rows)))).hasSize(3);
    assertThat(gradients(whole).values())
        .allSatisfy(each -> assertThat(each.toDoubles()).containsOnly(0));
  }

  @ParameterizedTest
  @CsvSource({"0", "1"})
  void stepEndsAtAllStagesWhenOneCloses(int closing) {
    List<Tensor> rows = rows(2, 1);
    List<Pipeline> pipeline = workers.pipeline(stages(3), 2, PipelineSchedule.GPIPE);
    List<CompletableFuture<Double>> steps =
        IntStream.range(0, 3)
            .filter(i -> i != closing)
            .mapToObj(i -> TestStages.step(pipeline.get(i), rows, loss(rows)))
            .toList();
    workers.collective(closing).close();
    String reason = "worker " + "ABC".charAt(closing) + " has closed";
    steps.forEach(each -> assertFails(() -> Rpc.await(each), Status.CLOSED, reason));
    assertFails(
        () -> Rpc.await(TestStages.step(pipeline.get(closing), rows, loss(rows))),
        Status.CLOSED,
        reason);
  }

  @Test
  void stepEndsAtAllStagesWhenOneFails() {
    List<Tensor> rows = rows(2, 1);
    List<Pipeline> pipeline =
        workers.pipeline(stages(3), 2, PipelineSchedule.ONE_FORWARD_ONE_BACKWARD);
    List<CompletableFuture<Double>> steps =
        TestStages.step(pipeline, rows, (micro, output) -> output);
    assertFails(
        () -> Rpc.await(steps.get(2)), Status.BAD_ARGUMENT, "loss of micro-batch 0 is no scalar");
    steps
        .subList(0, 2)
        .forEach(each -> assertFails(() -> Rpc.await(each), Status.CLOSED, "worker C has closed"));
  }

  @Test
  void wrongArgumentsAreRefusedBeforeTheStepBegins() {
    List<Tensor> rows = rows(2, 1);
    Pipeline.Loss loss = loss(rows);
    List<Pipeline> all = workers.pipeline(stages(3), 2, PipelineSchedule.GPIPE);
    Pipeline first = all.get(0);
    Pipeline middle = all.get(1);
    Pipeline last = all.get(2);

    refused(() -> middle.step(rows), "stage 1 of 3 was given inputs, but the first stage");
    refused(first::step, "stage 0 of 3 was not given inputs");
    refused(() -> first.step(rows, loss), "stage 0 of 3 was given a loss, but the last stage");
    refused(last::step, "stage 2 of 3 was not given a loss");
    refused(() -> first.step(rows.subList(0, 1)), "2 micro-batches was given 1 inputs");
    refused(() -> NoGrad.within(() -> first.step(rows)), "NoGrad");
    refused(
        () -> {
          var unused = Pipeline.of(workers.collective(0), whole, 0, PipelineSchedule.GPIPE);
          return 0.0;
        },
        "micros=0");

    assertThat(Rpc.awaitAll(TestStages.step(all, rows, loss))).allMatch(Double::isFinite);
  }

  private static void refused(Callable<Double> step, String message) {
    assertFails(step, Status.BAD_ARGUMENT, message);
  }

  private static void assertFails(Callable<Double> step, Status status, String... messages) {
    assertThatThrownBy(step::call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.getMessage()).isEqualTo(status))
        .hasMessageContainingAll(messages);
  }
}
