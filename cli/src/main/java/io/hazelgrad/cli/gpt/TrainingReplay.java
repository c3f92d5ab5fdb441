package io.hazelgrad.cli.gpt;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Trains the cases of a {@link TrainingFile} on workers, one case after the other.
 *
 * @param grid this process, which only waits
 * @param workers the workers that train
 * @param parallelism the way in which they share a training
 */
public record TrainingReplay(GridAccess grid, List<String> workers, Parallelism parallelism) {
  /** Copies the list. */
  public TrainingReplay {
    workers = List.copyOf(workers);
  }

  /**
   * Trains a case; its line has the losses and the work of each worker, or the error. Throws
   * WORKER_LOST if a worker died.
   */
  public String run(JsonFields fields, String text) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("name", fields.text("name"));
    try {
      line.setAll(results(train(TrainingCase.read(fields, text))));
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
  private List<WorkerReport> train(TrainingCase training) {
    List<CompletableFuture<WorkerReport>> parts;
    try (CallScope scope = CallScope.open()) {
      parts = TrainingTask.begin(grid, training, workers, parallelism, false);
    }
    return parts.stream().map(CompletableFuture::join).toList();
  }

  private ObjectNode results(List<WorkerReport> reports) {
    ObjectNode results = JsonNodeFactory.instance.objectNode();
    ArrayNode losses = results.putArray("losses");
    reports.get(0).losses().forEach(losses::add);
    results.put("parallel", parallelism.toString()).put("kills", 0).put("repeated", 0);
    ObjectNode work = results.putObject("work");
    for (int i = 0; i < workers.size(); i++) {
      WorkerReport report = reports.get(i);
      work.putObject(workers.get(i))
          .put("pid", report.pid())
          .put("rows", report.rows())
          .put("bytes", report.bytes());
    }
    return results;
  }
}
