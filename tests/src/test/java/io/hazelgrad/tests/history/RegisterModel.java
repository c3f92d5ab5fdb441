package io.hazelgrad.tests.history;

import org.jspecify.annotations.Nullable;

/**
 * Register that starts at 0, with reads and writes. A call has the value that it reads or writes.
 */
public final class RegisterModel implements Model<Long, RegisterModel.Call> {
  /** The kinds of calls. */
  public enum Kind {
    WRITE,
    READ
  }

  /** Call with its value. */
  public record Call(Kind kind, long value) {}

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public @Nullable Long after(Long state, Call call) {
    return switch (call.kind()) {
      case WRITE -> call.value();
      case READ -> state == call.value() ? state : null;
    };
  }
}
