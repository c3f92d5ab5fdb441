package io.hazelgrad.rref.internal.handle;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The place where a handle was made or received, for the report of a forgotten handle. */
public record HandleOrigin(String how, Object where) {
  private static final StackWalker STACK = StackWalker.getInstance();

  /**
   * Returns the line of user code that this thread runs.
   *
   * @param full whether to remember all its callers, too, which takes longer
   */
  static HandleOrigin here(boolean full) {
    if (full) {
      return new HandleOrigin(
          "made at",
          new Stack(STACK.walk(frames -> frames.dropWhile(frame -> !isUserCode(frame)).toList())));
    }
    StackWalker.@Nullable StackFrame frame =
        STACK.walk(frames -> frames.filter(HandleOrigin::isUserCode).findFirst().orElse(null));
    return frame == null
        ? new HandleOrigin("made", "by Hazelgrad")
        : new HandleOrigin("made at", frame);
  }

  private record Stack(List<StackWalker.StackFrame> frames) {
    @Override
    public String toString() {
      return frames.stream().map(Object::toString).collect(Collectors.joining("\n  by "));
    }
  }

  private static boolean isUserCode(StackWalker.StackFrame frame) {
    String type = frame.getClassName();
    return !type.startsWith("io.hazelgrad.rref.") && !type.startsWith("io.hazelgrad.grid.");
  }

  public static HandleOrigin received(String function, boolean inRequest) {
    return new HandleOrigin(inRequest ? "received in a call of" : "received from", function);
  }

  @Override
  public String toString() {
    return how + " " + where;
  }
}
