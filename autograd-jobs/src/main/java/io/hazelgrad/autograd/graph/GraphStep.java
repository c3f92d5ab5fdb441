package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One step of a program: a node that is ready to run.
 *
 * @param inputs the slots that it reads
 * @param output the slot that it writes
 */
@SuppressWarnings("ArrayRecordComponent") // Steps are not compared.
record GraphStep(GraphNode node, Kernel kernel, int[] inputs, int output) {
  /** The computation of a node with operations of the catalogue, which record themselves. */
  interface Kernel {
    Variable run(Variable... inputs);

    static Kernel of(String operation) {
      return of(operation, Attributes.none());
    }

    static Kernel of(String operation, Attributes attributes) {
      return inputs -> Variable.apply(operation, attributes, inputs);
    }
  }

  /** Reads and writes the slots. */
  void run(@Nullable Variable[] slots) {
    Variable[] x = new Variable[inputs.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = Objects.requireNonNull(slots[inputs[i]], "a step runs after its inputs");
    }
    try {
      slots[output] = kernel.run(x);
    } catch (GridException e) {
      throw node.locate(e);
    } catch (IllegalArgumentException e) { // It comes from a tensor's own checks.
      throw new GridException(
          Status.BAD_ARGUMENT, node + ": " + node.op() + ": cannot be computed: " + e, e);
    }
  }
}
