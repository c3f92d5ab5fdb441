package io.hazelgrad.grid.profile;

/** The details that a profile records only on request, because of their cost. */
public enum Detail {
  /** The shapes of the tensors among arguments. */
  SHAPES,
  /** The bytes that functions, operations and scopes allocate on Java's heap. */
  MEMORY,
  /**
   * The devices of the tensors among arguments. No device has a clock of its own yet: operations on
   * all devices are timed by the CPU, which the profiler logs once.
   */
  DEVICES
}
