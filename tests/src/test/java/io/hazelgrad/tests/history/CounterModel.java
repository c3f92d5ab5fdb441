package io.hazelgrad.tests.history;

import org.jspecify.annotations.Nullable;

/** Register that starts at 0, with reads and increments. An increment returns the new value. */
public final class CounterModel implements Model<Long, CounterModel.Call> {
  /** The result of a call that failed. */
  public static final long UNKNOWN = -1;

  /** The kinds of calls. */
  public enum Kind {
    INCREMENT,
    READ
  }

  /** Call with its result. */
  public record Call(Kind kind, long result) {}

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public @Nullable Long after(Long state, Call call) {
    long next = call.kind() == Kind.INCREMENT ? state + 1 : state;
    return call.result() == UNKNOWN || call.result() == next ? next : null;
  }
}
