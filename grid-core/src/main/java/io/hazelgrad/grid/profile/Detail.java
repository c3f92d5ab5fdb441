package io.hazelgrad.grid.profile;

/** The details that a profile records only on request, because of their cost. */
public enum Detail {
  /** The shapes of the tensors among arguments. */
  SHAPES,
  /** The bytes that functions, operations and scopes allocate on Java's heap. */
  MEMORY,
  /**
   * The devices of the tensors among arguments, and how long a device with a clock of its own, a
   * GPU, has worked for an operation. Each operation there then waits for its end.
   */
  DEVICES
}
