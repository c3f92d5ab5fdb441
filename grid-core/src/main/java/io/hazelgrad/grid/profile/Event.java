package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that was recorded: a call, a function that ran for one, an operation, or a scope.
 *
 * @param id its identity
 * @param parent the event that led to it: of a function that ran, the call; null for none
 * @param kind what it is
 * @param key for an event of another worker, the call that it belongs to; of calls within calls all
 *     of them, from the outside in; empty for what happened on the recording worker itself
 * @param operation what was done: of a call {@code rpc_sync#function(from -> to)}
 * @param worker the name of the worker that did it
 * @param thread the name of the thread that began it
 * @param startNanos when it began, in {@link System#nanoTime()} terms of the recording worker; for
 *     events of others that is an estimate, see {@link Profiler}
 * @param durationNanos how long it took
 * @param queueNanos of a function, how long its request had waited at the callee before it began
 * @param bytesOut of a call, the bytes of the request; of a function zero
 * @param bytesIn of a call, the bytes of the reply, zero if none came
 * @param allocatedBytes what the thread allocated meanwhile on Java's heap, -1 if not asked for or
 *     not known
 * @param shapes the shapes of the tensors among the arguments, empty if not asked for; an argument
 *     that is no tensor has an empty string
 * @param failure why it failed, or null
 */
@RemoteValue
public record Event(
    EventId id,
    @Nullable EventId parent,
    Kind kind,
    String key,
    String operation,
    String worker,
    String thread,
    long startNanos,
    long durationNanos,
    long queueNanos,
    long bytesOut,
    long bytesIn,
    long allocatedBytes,
    List<String> shapes,
    @Nullable Status failure) {
  /** What stands between the key of a call and what its callee did. */
  static final String REMOTE = "#remote_op: ";

  /** What an event is. */
  @RemoteValue
  public enum Kind {
    /** A call, from the writing of its request to its end, as its caller sees it. */
    CALL,
    /** A function that ran for a call, until its result was there, as the callee sees it. */
    FUNCTION,
    /** An operation on tensors. */
    OPERATION,
    /** A scope that somebody opened with {@link Profiler#scope}. */
    SCOPE
  }

  /** Returns the full name: {@code key#remote_op: operation}, or the operation if it is local. */
  public String name() {
    return key.isEmpty() ? operation : key + REMOTE + operation;
  }

  /** Returns whether it happened on another worker than the one that recorded. */
  public boolean isRemote() {
    return !key.isEmpty();
  }

  /** Returns when it ended, in the terms of {@link #startNanos}. */
  public long endNanos() {
    return startNanos + durationNanos;
  }

  /** Returns the same at a time that is later by so much. */
  public Event shifted(long nanos) {
    return with(key, startNanos + nanos);
  }

  /** Returns the same as the caller of {@code call} sees it. */
  Event seenFrom(String call, long shiftNanos) {
    return with(key.isEmpty() ? call : call + REMOTE + key, startNanos + shiftNanos);
  }

  private Event with(String otherKey, long otherStart) {
    return new Event(
        id,
        parent,
        kind,
        otherKey,
        operation,
        worker,
        thread,
        otherStart,
        durationNanos,
        queueNanos,
        bytesOut,
        bytesIn,
        allocatedBytes,
        shapes,
        failure);
  }
}
