package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;

/**
 * Puts the heads of attention, which are parts of the last dimension, in a dimension of their own.
 */
final class Heads {
  private Heads() {}

  /** Changes {@code [N, L, E]} to {@code [N, heads, L, E / heads]}. */
  static Tensor split(Backend backend, Tensor x, long heads) {
    long part = x.shape(2) / heads;
    return backend.permute(x.reshape(x.shape(0), x.shape(1), heads, part), 0, 2, 1, 3);
  }

  /** Changes {@code [N, heads, L, E / heads]} to {@code [N, L, E]}. */
  static Tensor join(Backend backend, Tensor x) {
    Tensor joined = backend.permute(x, 0, 2, 1, 3);
    return joined.reshape(x.shape(0), x.shape(2), x.shape(1) * x.shape(3));
  }
}
