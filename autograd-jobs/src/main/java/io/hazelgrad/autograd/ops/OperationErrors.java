package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/** The one form of every message of this package: {@code operation: what is wrong, with values}. */
public final class OperationErrors {
  private OperationErrors() {}

  public static GridException bad(String operation, String message) {
    return new GridException(Status.BAD_ARGUMENT, operation + ": " + message);
  }
}
