package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.RendezvousId.Purpose;
import io.hazelgrad.grid.group.RendezvousId.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A set of workers that wait for each other at barriers, and gather a value of each member. Every
 * member calls the same method; each call ends when all members have called. Threads: safe.
 *
 * <p>Several rounds may run at once. Without a key, calls by several threads of each worker at the
 * same time form one round each, and it is not determined which threads meet. Rounds with different
 * keys, members or purposes are independent.
 *
 * <p>The deadline applies to the caller only: when it passes, this worker no longer waits, and the
 * others go on waiting. If a member dies, all that wait are told at once. A failed round can be
 * repeated.
 *
 * <p>Cost: one call to the member with the smallest id; a gather makes one more call to each other
 * member, all at once. The leader blocks no thread.
 *
 * <p>Errors: TIMEOUT with the names of the missing members; WORKER_LOST with the names of those
 * that were lost or left; BAD_ARGUMENT if this worker waits in the round already or its list of
 * members is outdated; BAD_VALUE if a value cannot travel; CLOSED.
 */
public final class Group {
  private final RendezvousParticipant participant;
  private final Scope scope;
  private final String name;
  private final long version;
  private final Supplier<List<Worker>> members;
  private final String key;
  private final Duration timeout;

  Group(
      RendezvousParticipant participant,
      Scope scope,
      String name,
      long version,
      Supplier<List<Worker>> members,
      String key,
      Duration timeout) {
    this.participant = participant;
    this.scope = scope;
    this.name = name;
    this.version = version;
    this.members = members;
    this.key = key;
    this.timeout = timeout;
  }

  /**
   * Returns the same members for rounds with this key, which is not empty. A key has one round at a
   * time: a worker that calls again before the round is over is refused.
   */
  public Group keyed(String key) {
    if (key.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "the key of a round must not be empty");
    }
    return new Group(participant, scope, name, version, members, key, timeout);
  }

  /**
   * Returns the same members with another deadline, by default that of calls; zero means none. If
   * the leader does not answer at all, the wait ends one second later.
   */
  public Group within(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative (zero means none): " + deadline);
    }
    return new Group(participant, scope, name, version, members, key, deadline);
  }

  /** Waits until all members have called this method. */
  public void barrier() {
    var unused = participant.await(barrierAsync());
  }

  /** Does the same without waiting; the future ends when all members have called. */
  public CompletableFuture<@Nullable Void> barrierAsync() {
    return participant.barrier(attempt(Purpose.BARRIER));
  }

  /**
   * Offers a value and waits for those of all members, which have the same type. Returns them by
   * the names of their workers, in order: this worker's own value as it is and copies of the
   * others.
   */
  public <T extends @Nullable Object> Map<String, T> allGather(T value) {
    return participant.gather(attempt(Purpose.GATHER), value);
  }

  /**
   * Does the same without waiting. Until the future has ended the value must not change, and
   * references in it must stay open. References in the values of others are not closed with the
   * called function in which this may run.
   */
  public <T extends @Nullable Object> CompletableFuture<Map<String, T>> allGatherAsync(T value) {
    return participant.gatherAsync(attempt(Purpose.GATHER), value);
  }

  private RendezvousAttempt attempt(Purpose purpose) {
    return new RendezvousAttempt(
        new RendezvousId(purpose, scope, name, key), version, members, timeout, System.nanoTime());
  }
}
