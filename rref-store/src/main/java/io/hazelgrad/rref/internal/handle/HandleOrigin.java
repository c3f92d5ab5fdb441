package io.hazelgrad.rref.internal.handle;

import java.util.List;
import java.util.stream.Collectors;

/** The place where a handle was made or received, for the report of a forgotten handle. */
public record HandleOrigin(String how, List<?> where) {
  private static final StackWalker STACK = StackWalker.getInstance();

  /** Returns the line of user code that this thread runs; if {@code full}, its callers, too. */
  static HandleOrigin here(boolean full) {
    List<StackWalker.StackFrame> frames =
        STACK.walk(
            all ->
                all.dropWhile(frame -> !isUserCode(frame))
                    .limit(full ? Long.MAX_VALUE : 1)
                    .toList());
    return frames.isEmpty()
        ? new HandleOrigin("made", List.of("by Hazelgrad"))
        : new HandleOrigin("made at", frames);
  }

  private static boolean isUserCode(StackWalker.StackFrame frame) {
    String type = frame.getClassName();
    return !type.startsWith("io.hazelgrad.rref.") && !type.startsWith("io.hazelgrad.grid.");
  }

  public static HandleOrigin received(String function, boolean inRequest) {
    return new HandleOrigin(
        inRequest ? "received in a call of" : "received from", List.of(function));
  }

  @Override
  public String toString() {
    return how + " " + where.stream().map(Object::toString).collect(Collectors.joining("\n  by "));
  }
}
