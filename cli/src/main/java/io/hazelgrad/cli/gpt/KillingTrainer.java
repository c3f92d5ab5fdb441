package io.hazelgrad.cli.gpt;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Trains cases as training jobs, and kills a worker with SIGKILL after every so many steps, each
 * time another one, the oldest member first. It starts the worker again before the next kill.
 *
 * <p>All workers stop at the step of a kill, so that it is always the same one.
 */
final class KillingTrainer implements ReplayOutcome.CaseTrainer {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final String JOB = "replay-training";

  private final LocalCluster cluster;
  private final GridAccess grid;
  private final int every;
  private int turn;

  KillingTrainer(LocalCluster cluster, GridAccess grid, int every) {
    this.cluster = cluster;
    this.grid = grid;
    this.every = every;
  }

  @Override
  public ReplayOutcome train(TrainingCase training) {
    List<String> workers = cluster.workers();
    TransformerFit program = new TransformerFit(training);
    Map<String, CompletableFuture<Boolean>> points = stopAt(workers, every);
    TrainingJob job = TrainingJobs.on(grid).start(JOB, program, program.options(workers.size()));
    try {
      int kills = 0;
      for (int step = every; step < training.steps(); step += every) {
        awaitOne(points, job);
        String victim = victim(points);
        cluster.worker(victim).kill();
        kills++;
        List<String> others = workers.stream().filter(each -> !each.equals(victim)).toList();
        points = stopAt(others, step + every); // Which lets them go on until then.
        cluster.startWorker(victim);
      }
      release(workers);
      TrainingResult result = job.await(LIMIT);
      return new ReplayOutcome(
          Arrays.stream(result.losses().toDoubles()).boxed().toList(),
          kills,
          result.recoveries().stream().mapToLong(Recovery::repeated).sum(),
          result.work());
    } finally {
      release(workers);
      job.forget();
    }
  }

  private Map<String, CompletableFuture<Boolean>> stopAt(List<String> workers, long step) {
    Rpc rpc = grid.rpc().within(LIMIT);
    Map<String, CompletableFuture<Boolean>> points = new LinkedHashMap<>();
    workers.forEach(
        worker -> points.put(worker, rpc.async(worker, Function.async(KillPoint::await), step)));
    return points;
  }

  /** Waits until a worker has stopped; throws the error of a job that has ended before. */
  private static void awaitOne(Map<String, CompletableFuture<Boolean>> points, TrainingJob job) {
    CompletableFuture<Object> any =
        CompletableFuture.anyOf(points.values().toArray(CompletableFuture[]::new));
    while (!Rpc.await(any.handle((done, failure) -> true).completeOnTimeout(false, 1, SECONDS))) {
      if (job.status().phase() == Phase.FAILED) {
        job.await(LIMIT);
      }
    }
  }

  /** Returns the next worker, of those that have stopped, in turn. */
  private String victim(Map<String, CompletableFuture<Boolean>> points) {
    List<String> workers = cluster.workers();
    while (true) {
      String next = workers.get(turn++ % workers.size());
      CompletableFuture<Boolean> point = points.get(next);
      // One that has just been started need not train yet.
      if (point != null && Rpc.await(point.copy().completeOnTimeout(false, 1, SECONDS))) {
        return next;
      }
    }
  }

  private void release(List<String> workers) {
    workers.stream()
        .filter(worker -> cluster.worker(worker).isAlive())
        .forEach(worker -> grid.rpc().sync(worker, KillPoint::release));
  }
}
