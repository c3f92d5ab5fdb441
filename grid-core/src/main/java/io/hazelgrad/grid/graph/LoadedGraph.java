package io.hazelgrad.grid.graph;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * One version of a graph, ready to run: its program, and its constants in ND4J's memory.
 *
 * <p>Any number of calls may run it at once. They share the constants, which never change, and have
 * all other arrays for themselves. An array is closed after the last step that reads it. The
 * constants are closed when the graph was retired and its last call has ended: {@code users} counts
 * the calls, plus one until it is retired.
 */
final class LoadedGraph {
  private final String name;
  private final long version;
  private final GraphProgram program;
  private final int[] lastUses;
  private final INDArray[] constants;
  private int users = 1;

  LoadedGraph(String name, long version, GraphProgram program) {
    this.name = name;
    this.version = version;
    this.program = program;
    this.lastUses = program.lastUses();
    this.constants = new INDArray[program.constants().size()];
    for (int i = 0; i < constants.length; i++) {
      constants[i] = program.constants().get(i).toArray();
    }
  }

  long version() {
    return version;
  }

  /** Counts a call that begins; false if the constants have been freed. */
  synchronized boolean enter() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  /** Counts a call that ends; after {@link #retire} the last one frees the constants. */
  synchronized void leave() {
    users--;
    if (users == 0) {
      for (INDArray constant : constants) {
        constant.close();
      }
    }
  }

  /** Ends the use of this version by new calls. Called once. */
  void retire() {
    leave();
  }

  /** Runs the program. The caller must have {@link #enter entered}. */
  Object run(List<@Nullable Object> arguments) {
    Tensor[] inputs = GraphArguments.bind(name, program.inputs(), arguments);
    @Nullable INDArray[] slots = new @Nullable INDArray[program.slots()];
    int fixed = inputs.length + constants.length;
    try {
      for (int i = 0; i < inputs.length; i++) {
        slots[i] = inputs[i].toArray();
      }
      System.arraycopy(constants, 0, slots, inputs.length, constants.length);
      for (int i = 0; i < program.steps().size(); i++) {
        GraphStep step = program.steps().get(i);
        slots[step.output()] = run(step, slots);
        for (int slot : step.inputs()) {
          if (lastUses[slot] == i) {
            free(slots, slot, inputs.length, fixed);
          }
        }
      }
      return results(slots, inputs.length == 0 ? Device.CPU : inputs[0].device());
    } finally {
      for (int slot = 0; slot < slots.length; slot++) {
        free(slots, slot, inputs.length, fixed);
      }
    }
  }

  private INDArray run(GraphStep step, @Nullable INDArray[] slots) {
    INDArray[] x = new INDArray[step.inputs().length];
    for (int k = 0; k < x.length; k++) {
      INDArray value = slots[step.inputs()[k]];
      if (value == null) {
        throw new IllegalStateException(step + " runs before its inputs");
      }
      x[k] = value;
    }
    try {
      return GraphOps.run(step, x);
    } catch (GridException e) {
      throw new GridException(e.status(), "graph \"" + name + "\": " + e.getMessage(), e);
    } catch (RuntimeException e) { // It comes from ND4J's own checks.
      throw new GridException(
          Status.BAD_ARGUMENT,
          "graph \"" + name + "\": " + step.bad("cannot be computed: " + e).getMessage(),
          e);
    }
  }

  private Object results(@Nullable INDArray[] slots, Device device) {
    Map<String, Tensor> results = new LinkedHashMap<>();
    for (int i = 0; i < program.outputs().size(); i++) {
      INDArray value = slots[program.outputSlots().get(i)];
      if (value == null) {
        throw new IllegalStateException("no value for " + program.outputs().get(i));
      }
      results.put(program.outputs().get(i), Tensor.of(value).to(device));
    }
    return results.size() == 1 ? results.values().iterator().next() : results;
  }

  /** Closes the array of a slot, unless it is a constant. */
  private static void free(@Nullable INDArray[] slots, int slot, int from, int to) {
    INDArray value = slots[slot];
    slots[slot] = null;
    if (value != null && (slot < from || slot >= to)) {
      value.close();
    }
  }
}
