package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/** Makes the errors of operations: {@code operation: what is wrong, with values}. */
public final class OperationErrors {
  private OperationErrors() {}

  public static GridException bad(String operation, String message) {
    return new GridException(Status.BAD_ARGUMENT, operation + ": " + message);
  }
}
