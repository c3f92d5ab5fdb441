package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A recorded event: a call, a function that ran for a call, an operation, or a scope.
 *
 * @param parent the event that led to it, for a function its call; null for none
 * @param key for an event of another worker, the call that it belongs to; for nested calls all of
 *     them, from the outermost in; empty for events of the recording worker
 * @param operation the name of what ran; for a call {@code rpc_sync#function(from -> to)}
 * @param thread the name of the thread that began it
 * @param startNanos the start by the {@link System#nanoTime()} of the recording worker; for events
 *     of other workers an estimate, see {@link Profiler}
 * @param queueNanos for a function, the time that its request waited at the callee
 * @param bytesOut for a call, the bytes of the request; otherwise 0
 * @param bytesIn for a call, the bytes of the reply; 0 if none came
 * @param allocatedBytes the bytes that the thread allocated meanwhile; -1 if not recorded
 * @param deviceNanos for an operation on a device with a clock of its own, the time for which it
 *     worked; 0 if not recorded
 * @param shapes the shapes of the arguments, such as {@code [2, 3]}, or their devices, such as
 *     {@code @sim:0}, or both; "" for one that is no tensor; or none if not recorded
 * @param failure the status of its failure, or null
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
    long deviceNanos,
    List<String> shapes,
    @Nullable Status failure) {
  /** Returns the shapes and devices of arguments, as far as they are wanted. */
  static List<String> shapesOf(List<? extends @Nullable Object> arguments, Set<Detail> details) {
    return !details.contains(Detail.SHAPES) && !details.contains(Detail.DEVICES)
        ? List.of()
        : arguments.stream().map(each -> each instanceof Tensor t ? text(t, details) : "").toList();
  }

  private static String text(Tensor tensor, Set<Detail> details) {
    String shape = details.contains(Detail.SHAPES) ? Arrays.toString(tensor.shape()) : "";
    return details.contains(Detail.DEVICES) ? shape + "@" + tensor.device() : shape;
  }

  /** Separates the key of a call from what its callee did. */
  static final String REMOTE = "#remote_op: ";

  /** The kinds of events. */
  @RemoteValue
  public enum Kind {
    /** A call as its caller sees it, from the writing of its request to its end. */
    CALL,
    /** A function as its callee sees it, from its start to its result. */
    FUNCTION,
    /** An operation on tensors. */
    OPERATION,
    /** A scope that {@link Profiler#scope} opened. */
    SCOPE
  }

  /** Returns the full name: {@code key#remote_op: operation}, or the operation if it is local. */
  public String name() {
    return key.isEmpty() ? operation : key + REMOTE + operation;
  }

  /** Returns whether it happened on another worker than the recording one. */
  public boolean isRemote() {
    return !key.isEmpty();
  }

  /** Returns the end, by the clock of {@link #startNanos}. */
  public long endNanos() {
    return startNanos + durationNanos;
  }

  /** Returns the same event, later by this time. */
  public Event shifted(long nanos) {
    return with(key, startNanos + nanos);
  }

  /** Returns the same event as the caller of {@code call} sees it. */
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
        deviceNanos,
        shapes,
        failure);
  }
}
