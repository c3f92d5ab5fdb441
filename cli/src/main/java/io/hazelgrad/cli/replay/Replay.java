package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;

/**
 * Runs programs on the workers of a grid. A worker takes no part in the programs. A thin client
 * takes the part of the worker that runs the program: a client cannot be called and owns no
 * objects, so the worker of that name does both, with the same leaves. The gradients of client and
 * worker are added.
 *
 * <p>Threads: one.
 */
public record Replay(GridAccess grid) {
  private static final String NO_LEAVES = "{}";
  private static final Duration PROGRAM_LIMIT = Duration.ofMinutes(2);

  /** Runs a program; its line has the results or the error. Throws WORKER_LOST if a worker died. */
  public String run(Scenario scenario) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("name", scenario.name());
    try {
      line.set("checks", ProgramFile.tree(checks(scenario)));
    } catch (GridException e) {
      if (e.status() == Status.WORKER_LOST || e.status() == Status.UNKNOWN_WORKER) {
        throw e;
      }
      line.put("error", e.status() + ": " + e.getMessage());
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
    if (grid instanceof GridClient) {
      return inClient(scenario);
    }
    Function<String> program = Function.of(ReplayFunctions::program);
    return grid.rpc()
        .within(PROGRAM_LIMIT)
        .sync(scenario.first(), program, scenario.program(), scenario.workers());
  }

  private String inClient(Scenario scenario) {
    String first = scenario.first();
    String leaves = scenario.leaves().getOrDefault(first, NO_LEAVES);
    ExecutionSite site = new ExecutionSite(grid, first, LeafVariables.of(leaves));
    try {
      return ReplayFunctions.runProgram(site, scenario.program(), scenario.workers());
    } catch (GridException e) {
      throw e;
    } catch (RuntimeException e) { // The same status as in a call.
      throw new GridException(Status.USER_ERROR, "the program failed: " + e, e);
    }
  }
}
