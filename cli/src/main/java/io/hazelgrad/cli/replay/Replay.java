package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;

/**
 * Runs programs on the workers of a grid.
 *
 * <p>Threads: one.
 */
public final class Replay {
  private static final String NO_LEAVES = "{}";

  private static final Duration PROGRAM_LIMIT = Duration.ofMinutes(2);

  private final Grid grid;

  /** Makes it with the grid of the driver, which takes no part in the programs. */
  public Replay(Grid driver) {
    this.grid = driver;
  }

  /**
   * Runs a program and returns its line: the checks that it made, or the error with which it ended.
   *
   * @throws GridException WORKER_LOST if a worker died
   */
  public String run(Scenario scenario) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("name", scenario.name());
    try {
      line.set("checks", ProgramFile.tree(checks(scenario)));
    } catch (GridException e) {
      if (e.status() == Status.WORKER_LOST || e.status() == Status.UNKNOWN_WORKER) {
        throw e;
      }
      line.put("error", text(e));
    }
    return line.toString();
  }

  private String checks(Scenario scenario) {
    for (String worker : scenario.workers()) {
      grid.rpc()
          .sync(
              worker,
              Function.action(ReplayFunctions::setLeaves),
              scenario.leaves().getOrDefault(worker, NO_LEAVES));
    }
    Function<String> program = Function.of(ReplayFunctions::program);
    return grid.rpc()
        .within(PROGRAM_LIMIT)
        .sync(scenario.first(), program, scenario.program(), scenario.workers());
  }

  private static String text(GridException failure) {
    String message = failure.getMessage();
    return failure.status() + (message == null ? "" : ": " + message);
  }
}
