package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.grid.GridException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a graph as SameDiff stores it. The meaning of the values depends on the
 * operation. The arrays never change.
 *
 * @param name the node's name in the graph, for errors
 * @param op the operation's name
 */
@SuppressWarnings("ArrayRecordComponent") // Nodes are not compared.
record GraphNode(
    String name,
    String op,
    double[] reals,
    long[] integers,
    boolean[] flags,
    long[] dimensions,
    @Nullable Double scalar) {
  /** Returns a flag; false if it was not stored. */
  boolean flag(int index) {
    return index < flags.length && flags[index];
  }

  /** Returns the stored scalar, which must be there. */
  double number() {
    if (scalar == null) {
      throw bad("lacks its scalar");
    }
    return scalar;
  }

  /** Returns the first integer as a dimension. */
  long dimension(long otherwise) {
    return integers.length == 0 ? otherwise : integers[0];
  }

  /** Returns the stored numbers, which must be that many. */
  double[] reals(int count) {
    if (reals.length != count) {
      throw bad("has " + reals.length + " numbers, not " + count);
    }
    return reals;
  }

  /** Returns the stored integers, which must be that many. */
  long[] integers(int count) {
    if (integers.length != count) {
      throw bad("has " + integers.length + " integers, not " + count);
    }
    return integers;
  }

  /** Returns a dimension counted from 0; negative ones count from the end. */
  int dimension(long dimension, int rank) {
    long counted = dimension < 0 ? dimension + rank : dimension;
    if (counted < 0 || counted >= rank) {
      throw bad("has the dimension " + dimension + " for an array of rank " + rank);
    }
    return (int) counted;
  }

  GridException bad(String message) {
    return OperationErrors.bad(op, message);
  }

  /** Returns an error with the name of this node. */
  GridException locate(GridException e) {
    return new GridException(e.status(), this + ": " + e.getMessage(), e);
  }

  /** Returns the shapes of inputs for a message. */
  static String shapes(Variable... x) {
    return Arrays.stream(x).map(v -> Arrays.toString(v.value().shape())).toList().toString();
  }

  @Override
  public String toString() {
    return "node \"" + name + "\"";
  }
}
