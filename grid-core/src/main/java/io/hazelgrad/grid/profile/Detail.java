package io.hazelgrad.grid.profile;

/** What a profile records only if it is asked to, as it costs. */
public enum Detail {
  /** The shapes of tensors among arguments. */
  SHAPES,
  /** What functions, operations and scopes allocate on Java's heap. */
  MEMORY
}
