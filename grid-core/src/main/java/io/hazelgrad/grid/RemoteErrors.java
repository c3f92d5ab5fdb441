package io.hazelgrad.grid;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Carries what a function threw from the callee to the caller. */
final class RemoteErrors {
  static final int MAX_FRAMES = 64;

  private RemoteErrors() {}

  /** On the callee: describes what a function threw. */
  static GridException thrown(Throwable thrown, String function, Worker callee) {
    if (thrown instanceof GridException known && known.remote() != null) {
      return known; // Thrown further away: it says where.
    }
    String message = Objects.requireNonNullElse(thrown.getMessage(), "");
    RemoteError remote =
        new RemoteError(callee.name(), thrown.getClass().getName(), message, stack(thrown));
    String text =
        function
            + " threw on worker "
            + callee.name()
            + ": "
            + thrown.getClass().getName()
            + (message.isEmpty() ? "" : ": " + message);
    if (thrown instanceof GridException known) {
      return new GridException(known.status(), message, true, remote, known);
    }
    return new GridException(Status.USER_ERROR, text, true, remote, thrown);
  }

  /**
   * Returns the frames of the function's own code, then those of the causes, as Java prints them.
   */
  private static List<String> stack(Throwable thrown) {
    List<String> frames = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
      if (cause != thrown) {
        frames.add("Caused by: " + cause);
      }
      for (StackTraceElement frame : cause.getStackTrace()) {
        if (frame.getClassName().startsWith(Serving.class.getName())) {
          break;
        }
        if (!frame.getClassName().startsWith("java.lang.invoke.")) {
          frames.add(frame.toString());
        }
      }
    }
    return frames.size() > MAX_FRAMES ? frames.subList(0, MAX_FRAMES) : frames;
  }

  /** On the caller: adds the exception itself as the cause, if its class is known here. */
  static GridException arrived(GridException failure, AllowList classes) {
    RemoteError remote = failure.remote();
    if (remote == null || failure.status() != Status.USER_ERROR || failure.getCause() != null) {
      return failure;
    }
    Throwable cause = create(remote, classes);
    return new GridException(
        failure.status(),
        Objects.requireNonNullElse(failure.getMessage(), ""),
        failure.mayHaveRun(),
        remote,
        cause);
  }

  private static @Nullable Throwable create(RemoteError remote, AllowList classes) {
    Class<? extends Throwable> type = classes.exceptionClass(remote.type());
    if (type == null) {
      return null;
    }
    try {
      Constructor<? extends Throwable> constructor = type.getConstructor(String.class);
      Throwable created = constructor.newInstance(remote.message());
      created.setStackTrace(
          remote.stack().stream()
              .map(frame -> new StackTraceElement("on worker " + remote.worker(), frame, null, -1))
              .toArray(StackTraceElement[]::new));
      return created;
    } catch (ReflectiveOperationException | LinkageError e) {
      return null; // No constructor with a message: the caller gets its name and message.
    }
  }
}
