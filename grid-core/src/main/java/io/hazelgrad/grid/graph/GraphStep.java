package io.hazelgrad.grid.graph;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a program. Its arrays never change.
 *
 * @param node the node's name in the graph, for errors
 * @param op the operation's name
 * @param inputs the slots that it reads
 * @param output the slot that it writes
 */
@SuppressWarnings("ArrayRecordComponent") // Steps are not compared.
record GraphStep(String node, String op, int[] inputs, int output, Settings settings) {
  /** The values that SameDiff stores with an operation; their meaning depends on the operation. */
  @SuppressWarnings("ArrayRecordComponent") // Not compared either.
  record Settings(
      double[] reals,
      long[] integers,
      boolean[] flags,
      long[] dimensions,
      @Nullable Double scalar) {
    /** Returns a flag; false if it was not stored. */
    boolean flag(int index) {
      return index < flags.length && flags[index];
    }
  }

  GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, this + " " + message);
  }

  @Override
  public String toString() {
    return "node \"" + node + "\" (" + op + ")";
  }
}
