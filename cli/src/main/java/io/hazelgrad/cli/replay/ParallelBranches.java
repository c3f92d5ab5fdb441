package io.hazelgrad.cli.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** Runs lists of steps at the same time, each on a thread of its own. */
final class ParallelBranches {
  private ParallelBranches() {}

  /** Runs the branches and waits for all; throws the exception of the first that failed. */
  static void run(List<List<ProgramStep>> branches, Consumer<List<ProgramStep>> run) {
    List<FutureTask<Boolean>> tasks = new ArrayList<>();
    for (List<ProgramStep> branch : branches) {
      FutureTask<Boolean> task = new FutureTask<>(() -> run.accept(branch), true);
      tasks.add(task);
      Thread thread = new Thread(task, "replay-branch");
      thread.setDaemon(true);
      thread.start();
    }
    List<RuntimeException> failures = new ArrayList<>();
    tasks.forEach(task -> await(task, failures));
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }

  private static void await(FutureTask<Boolean> task, List<RuntimeException> failures) {
    try {
      task.get();
    } catch (ExecutionException e) {
      failures.add(
          e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failures.add(new IllegalStateException("interrupted while branches run", e));
    }
  }
}
