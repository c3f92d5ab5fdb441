package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.GridException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a call on both sides. For each message the methods are called in this order:
 *
 * <ol>
 *   <li>sender: {@link #departing}, then its values are written, then {@link #departed};
 *   <li>callee, before a reply goes out: {@link #ready};
 *   <li>receiver: {@link #arriving}, then the values are read, then {@link #arrived};
 *   <li>callee, around the function and the writing of its reply: {@link #enter}; before the
 *       function {@link #resolved}, after it {@link #returned} or {@link #threw}. If the function
 *       returned a stage, its thread leaves; when the stage completes, the writing of the reply is
 *       entered again on another one;
 *   <li>callee, before the reply goes out, once for each request that was entered: {@link #ended};
 *   <li>caller, around the callbacks on its future: {@link #completing};
 *   <li>sender, once, when it is done with a message: {@link #over}. For a request that is when the
 *       call's outcome is known to the caller. A later reply is still read, to learn what it
 *       carried, and given to {@link #dropped}; so is a request whose function was not started.
 * </ol>
 */
public interface CallInterceptor {
  /** Returns the number of this interceptor's header on the wire, 1 to 127; 0 if it writes none. */
  default int header() {
    return 0;
  }

  /** A message is about to be written. Runs on the thread that calls or answers. */
  default void departing(Outgoing message) {}

  /** As {@link #departing(Outgoing)}, for those who look at the values, which must not change. */
  default void departing(Outgoing message, List<@Nullable Object> values) {
    departing(message);
  }

  /** The values of a message have been written; a header that stays empty is not sent. */
  default void departed(Outgoing message, WireOutput header) {}

  /** Returns a stage that must end well before the reply may go out, or null for at once. */
  default @Nullable CompletionStage<?> ready(Outgoing reply) {
    return null;
  }

  /** A message is about to be read; the header is null if the sender had none. */
  default void arriving(Incoming message, @Nullable WireInput header) {}

  /**
   * The values of a message have been read. Returns a stage that must end well before the function
   * starts, or the caller's future ends; null for at once. If it fails, so does the call.
   */
  default @Nullable CompletionStage<?> arrived(Incoming message) {
    return null;
  }

  /**
   * Binds what a thread that works for the call sees: the one that runs the function, and later the
   * one that writes the reply of a function that returned a stage. It is closed on the same thread;
   * {@link #ended} is for what lasts as long as the call.
   */
  default Scope enter(Incoming request) {
    return Scope.NONE;
  }

  /**
   * Binds what callbacks on a call's future see. The thread that ends the future opens it, which
   * may be the one that waits for it; so does each one that runs an asynchronous stage of it on the
   * grid's threads. Callbacks added to a future that is done, and stages on other executors, run
   * without it.
   */
  default Scope completing(Outgoing request) {
    return Scope.NONE;
  }

  /** Last chance to replace arguments, when all that {@link #arrived} waited for has ended. */
  default void resolved(Incoming request, List<@Nullable Object> arguments) {}

  /** The function gave a result; what this returns is sent in its place. */
  default @Nullable Object returned(Incoming request, @Nullable Object result) {
    return result;
  }

  /** The function threw. If this returns true, the call goes well, with null as its result. */
  default boolean threw(Incoming request, GridException failure) {
    return false;
  }

  /** The call is over on its callee, well or not. On any thread, with all scopes closed. */
  default void ended(Incoming request) {}

  /** The sender is done with a message; failure is null if it went well. */
  default void over(Outgoing message, @Nullable GridException failure) {}

  /** The values of a message are not used: the call had ended, or its function was not started. */
  default void dropped(Incoming message) {}

  /** Something to be closed on the thread that opened it. */
  interface Scope extends AutoCloseable {
    /** A scope that does nothing. */
    Scope NONE = () -> {};

    @Override
    void close();
  }
}
