package io.hazelgrad.cli.gpt;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.jobs.TrainerWork;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.launcher.LocalCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Trains the cases of a {@link TrainingFile}, one case after the other. */
public final class TrainingReplay {
  private final ReplayOutcome.CaseTrainer trainer;
  private final Parallelism parallelism;
  private final Device device;

  private TrainingReplay(
      ReplayOutcome.CaseTrainer trainer, Parallelism parallelism, Device device) {
    this.trainer = trainer;
    this.parallelism = parallelism;
    this.device = device;
  }

  /**
   * Trains on workers that live.
   *
   * @param grid this process, which only waits
   * @param workers the workers that train
   * @param parallelism the way in which they share a training
   * @param device where each of them has its model; the CPU for stages of pipelines
   */
  public static TrainingReplay on(
      GridAccess grid, List<String> workers, Parallelism parallelism, Device device) {
    return new TrainingReplay(
        training -> train(grid, training, workers, parallelism), parallelism, device);
  }

  /**
   * Trains as jobs that go on after losses, and kills a worker after every so many steps.
   *
   * @param cluster the workers
   * @param grid a client of theirs
   */
  public static TrainingReplay withKills(LocalCluster cluster, GridAccess grid, int everySteps) {
    return new TrainingReplay(
        new KillingTrainer(cluster, grid, everySteps), Parallelism.DATA, Device.CPU);
  }

  /**
   * Trains a case; its line has the losses and the work of each worker, or the error. Throws
   * WORKER_LOST if a worker died that nobody has killed here.
   */
  public String run(JsonFields fields, String text) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("name", fields.text("name"));
    try {
      line.setAll(results(trainer.train(TrainingCase.read(fields, text).on(device))));
    } catch (BadProgramException e) {
      line.put("error", e.getMessage());
    } catch (GridException e) {
      if (e.status() == Status.WORKER_LOST || e.status() == Status.UNKNOWN_WORKER) {
        throw e;
      }
      line.put("error", e.status() + ": " + fields.where() + ": " + e.getMessage());
    }
    return line.toString();
  }

  /** Waits for all workers; throws the error of one that failed. */
  @SuppressWarnings("try") // The end of the scope waits; nothing else uses it.
  private static ReplayOutcome train(
      GridAccess grid, TrainingCase training, List<String> workers, Parallelism parallelism) {
    List<CompletableFuture<WorkerReport>> parts;
    try (CallScope scope = CallScope.open()) {
      parts = TrainingTask.begin(grid, training, workers, parallelism, false);
    }
    List<WorkerReport> reports = parts.stream().map(CompletableFuture::join).toList();
    List<TrainerWork> work = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      WorkerReport report = reports.get(i);
      work.add(new TrainerWork(workers.get(i), report.pid(), report.rows(), report.bytes()));
    }
    return new ReplayOutcome(reports.get(0).losses(), 0, 0, work);
  }

  private ObjectNode results(ReplayOutcome outcome) {
    ObjectNode results = JsonNodeFactory.instance.objectNode();
    ArrayNode losses = results.putArray("losses");
    outcome.losses().forEach(losses::add);
    results.put("parallel", parallelism.toString());
    results.put("kills", outcome.kills()).put("repeated", outcome.repeated());
    ObjectNode work = results.putObject("work");
    for (TrainerWork each : outcome.work()) {
      // A worker that was killed has more than one process.
      String name = work.has(each.worker()) ? each.worker() + "/" + each.pid() : each.worker();
      work.putObject(name)
          .put("pid", each.pid())
          .put("rows", each.rows())
          .put("bytes", each.bytes());
    }
    return results;
  }
}
