package io.hazelgrad.tests.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Workers of one JVM that are stages of pipelines; each stage steps on a thread of its own. */
final class TestStages implements AutoCloseable {
  private final List<String> names;
  private final InProcessGrids grids;
  private final List<Collective> open = new ArrayList<>();

  TestStages(String... names) {
    this.names = List.of(names);
    this.grids = InProcessGrids.join(names);
  }

  /** Makes a pipeline with one stage for each module, on the first workers. */
  List<Pipeline> pipeline(
      List<? extends Module<Variable, Variable>> modules, int micros, PipelineSchedule schedule) {
    List<String> members = names.subList(0, modules.size());
    List<CompletableFuture<Collective>> all =
        members.stream()
            .map(name -> begin(() -> Collectives.on(grids.grid(name)).join("stages", members)))
            .toList();
    open.addAll(all.stream().map(Rpc::await).toList());
    return IntStream.range(0, modules.size())
        .mapToObj(i -> Pipeline.of(open.get(i), modules.get(i), micros, schedule))
        .toList();
  }

  /** Returns the collective of a stage. */
  Collective collective(int stage) {
    return open.get(stage);
  }

  void closePipeline() {
    open.forEach(Collective::close);
    open.clear();
  }

  /** Begins the step of one stage. */
  static CompletableFuture<Double> step(
      Pipeline pipeline, List<Tensor> inputs, Pipeline.Loss loss) {
    return begin(
        () -> {
          if (pipeline.isFirst()) {
            return pipeline.isLast() ? pipeline.step(inputs, loss) : pipeline.step(inputs);
          }
          return pipeline.isLast() ? pipeline.step(loss) : pipeline.step();
        });
  }

  /** Begins the step of all stages. */
  static List<CompletableFuture<Double>> step(
      List<Pipeline> pipeline, List<Tensor> inputs, Pipeline.Loss loss) {
    return pipeline.stream().map(each -> step(each, inputs, loss)).toList();
  }

  private static <T> CompletableFuture<T> begin(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.call());
              } catch (Throwable e) { // The test sees it.
                result.completeExceptionally(e);
              }
            },
            "stage");
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  @Override
  public void close() {
    grids.close();
  }
}
