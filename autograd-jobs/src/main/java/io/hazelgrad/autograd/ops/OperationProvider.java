package io.hazelgrad.autograd.ops;

import java.util.List;

/**
 * The source of the {@link Catalogue}, found by {@link java.util.ServiceLoader}. This module has
 * the only implementation; it is not for users to implement.
 */
public interface OperationProvider {
  /** Returns the backend that computes. */
  Backend backend();

  /** Returns all operations. Their names differ. */
  List<Operation> operations();
}
