package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Carries what a function threw from the callee to the caller. */
public final class RemoteErrorCodec {
  static final int MAX_FRAMES = 64;

  static final int MAX_MESSAGE = 16_384;

  private RemoteErrorCodec() {}

  /** On the callee: describes what a function threw. */
  public static GridException thrown(Throwable thrown, String function, Worker callee) {
    if (thrown instanceof GridException known && known.remote() != null) {
      return known; // Thrown further away: it says where.
    }
    String message = message(thrown);
    RemoteError remote =
        new RemoteError(callee.name(), thrown.getClass().getName(), message, stack(thrown));
    return thrown instanceof GridException known
        ? new GridException(known.status(), message, true, remote, known)
        : new GridException(
            Status.USER_ERROR,
            "%s threw on worker %s: %s".formatted(function, callee.name(), described(thrown)),
            true,
            remote,
            thrown);
  }

  /** Returns the message, cut; exceptions of users may fail even here. */
  private static String message(Throwable thrown) {
    try {
      String message = Objects.requireNonNullElse(thrown.getMessage(), "");
      return message.length() <= MAX_MESSAGE
          ? message
          : message.substring(0, MAX_MESSAGE) + "... (" + message.length() + " characters)";
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return "(its getMessage() threw " + e.getClass().getName() + ")";
    }
  }

  private static String described(Throwable thrown) {
    String message = message(thrown);
    return thrown.getClass().getName() + (message.isEmpty() ? "" : ": " + message);
  }

  /** Returns the frames of the function's own code, then those of causes, as Java prints them. */
  private static List<String> stack(Throwable thrown) {
    List<String> frames = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable cause = thrown;
        cause != null && frames.size() < MAX_FRAMES && seen.add(cause);
        cause = cause.getCause()) {
      if (cause != thrown) {
        frames.add("Caused by: " + described(cause));
      }
      StackTraceElement[] trace = cause.getStackTrace();
      for (int i = 0, end = end(trace); i < end; i++) {
        if (!trace[i].getClassName().startsWith("java.lang.invoke.")) {
          frames.add(trace[i].toString());
        }
      }
    }
    return frames.size() > MAX_FRAMES ? frames.subList(0, MAX_FRAMES) : frames;
  }

  /** Returns the number of frames above our own, which begin in {@link RemoteFunction.Body}. */
  private static int end(StackTraceElement[] trace) {
    int end = 0;
    while (end < trace.length
        && !trace[end].getClassName().equals(RemoteFunction.Body.class.getName())) {
      end++;
    }
    String ours = RemoteFunction.class.getPackageName() + ".";
    while (end > 0 && end < trace.length && trace[end - 1].getClassName().startsWith(ours)) {
      end--;
    }
    return end;
  }

  /**
   * On the caller: adds the exception itself as the cause, if its class is allowed here. A failure
   * that no function threw gets a head that names the callee, except for FENCED, which is about the
   * caller.
   */
  public static GridException arrived(GridException failure, AllowList classes, String callee) {
    RemoteError remote = failure.remote();
    if (remote == null && failure.status() != Status.FENCED) {
      String headed = "Error on worker " + callee + ": " + failure.getMessage();
      return new GridException(
          failure.status(), headed, failure.mayHaveRun(), null, failure.getCause());
    }
    if (remote == null || failure.status() != Status.USER_ERROR || failure.getCause() != null) {
      return failure;
    }
    String message = Objects.requireNonNullElse(failure.getMessage(), "");
    Throwable cause = create(remote, classes);
    return new GridException(failure.status(), message, failure.mayHaveRun(), remote, cause);
  }

  /**
   * Makes the exception anew, if its class is allowed and one of its usual constructors gives the
   * message that was sent. If not, the caller has the class's name and the message as text.
   */
  private static @Nullable Throwable create(RemoteError remote, AllowList classes) {
    Class<? extends Throwable> type = classes.exceptionClass(remote.type());
    if (type == null || Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    String message = remote.message().isEmpty() ? null : remote.message();
    return Stream.<Class<?>[]>of(
            new Class<?>[] {String.class},
            new Class<?>[] {String.class, Throwable.class},
            new Class<?>[] {Object.class}, // Such as of AssertionError.
            new Class<?>[0])
        .map(parameters -> make(type, remote, parameters, message))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Throwable make(
      Class<? extends Throwable> type,
      RemoteError remote,
      Class<?>[] parameters,
      @Nullable String message) {
    try {
      Constructor<? extends Throwable> constructor = type.getDeclaredConstructor(parameters);
      if (!Modifier.isPublic(constructor.getModifiers() & type.getModifiers())) {
        constructor.setAccessible(true);
      }
      @Nullable Object[] arguments =
          Arrays.copyOf(new @Nullable Object[] {message}, parameters.length);
      Throwable made = constructor.newInstance(arguments);
      if (!message(made).equals(remote.message())) {
        return null;
      }
      made.setStackTrace(
          remote.stack().stream()
              .map(frame -> new StackTraceElement("on worker " + remote.worker(), frame, null, -1))
              .toArray(StackTraceElement[]::new));
      return made;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null; // No such constructor, or it refuses: the next.
    }
  }
}
