package io.hazelgrad.tests.history;

import org.jspecify.annotations.Nullable;

/** Sequential behaviour of an object. States and calls are values. */
public interface Model<S, C> {
  /** Returns the state of a new object. */
  S initial();

  /** Returns the state after a call, or null if the call cannot have its result in this state. */
  @Nullable S after(S state, C call);
}
