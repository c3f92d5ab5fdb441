package io.hazelgrad.grid.graph;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import org.jspecify.annotations.Nullable;

/** One operation of a program. Its arrays never change. */
final class GraphStep {
  /** The node's name in the graph, for errors. */
  final String node;

  /** The operation's name. */
  final String op;

  /** The slots that it reads. */
  final int[] inputs;

  /** The slot that it writes. */
  final int output;

  final Settings settings;

  GraphStep(String node, String op, int[] inputs, int output, Settings settings) {
    this.node = node;
    this.op = op;
    this.inputs = inputs;
    this.output = output;
    this.settings = settings;
  }

  /** The values that SameDiff stores with an operation; their meaning depends on the operation. */
  static final class Settings {
    final double[] reals;
    final long[] integers;
    final boolean[] flags;
    final long[] dimensions;
    final @Nullable Double scalar;

    Settings(
        double[] reals,
        long[] integers,
        boolean[] flags,
        long[] dimensions,
        @Nullable Double scalar) {
      this.reals = reals;
      this.integers = integers;
      this.flags = flags;
      this.dimensions = dimensions;
      this.scalar = scalar;
    }

    /** Returns a flag; false if it was not stored. */
    boolean flag(int index) {
      return index < flags.length && flags[index];
    }
  }

  /** Returns an error that names this step. */
  GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, this + " " + message);
  }

  @Override
  public String toString() {
    return "node \"" + node + "\" (" + op + ")";
  }
}
