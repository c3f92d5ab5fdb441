package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Workers that meet: at barriers, and to gather a value of each. Every member calls the same
 * method; each call ends when all have come.
 *
 * <p>Several rounds may run at once. Without a key, calls that several threads of each worker make
 * at the same time form as many rounds, and which threads meet is not determined. Rounds with
 * different keys, members or purposes have nothing to do with each other.
 *
 * <p>The deadline is the caller's own: whoever gives up takes its arrival back, and the others wait
 * on. If a member dies, all who wait learn it at once. A round that failed can be repeated.
 *
 * <p>Cost: one call to the member with the smallest id, and for a gather one more to each other
 * member, all at once. No thread waits at the leader.
 *
 * <p>Errors: TIMEOUT with the names of those who did not come, WORKER_LOST with the names of those
 * who were lost or left, BAD_ARGUMENT if this worker waits in the round already or its list of
 * members is outdated, BAD_VALUE if a value cannot travel, CLOSED.
 *
 * <p>Threads: safe; immutable.
 */
public final class Group {
  private final RendezvousParticipant participant;
  private final RendezvousId.Scope whom;
  private final String name;
  private final long version;
  private final Supplier<List<Worker>> members;
  private final String key;
  private final Duration timeout;

  Group(
      RendezvousParticipant participant,
      RendezvousId.Scope whom,
      String name,
      long version,
      Supplier<List<Worker>> members,
      String key,
      Duration timeout) {
    this.participant = participant;
    this.whom = whom;
    this.name = name;
    this.version = version;
    this.members = members;
    this.key = key;
    this.timeout = timeout;
  }

  /**
   * Returns the same members for rounds with this key. Of one key there is one round at a time: a
   * worker that comes again before it is over is refused.
   *
   * @throws GridException BAD_ARGUMENT if the key is empty
   */
  public Group keyed(String key) {
    if (key.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "the key of a round must not be empty");
    }
    return new Group(participant, whom, name, version, members, key, timeout);
  }

  /**
   * Returns the same members with another deadline; zero is none. The default is that of calls. If
   * the leader does not answer at all, the wait ends a second later.
   */
  public Group within(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative, zero means none: " + deadline);
    }
    return new Group(participant, whom, name, version, members, key, deadline);
  }

  /** Waits until all members have come to this barrier. */
  public void barrier() {
    var unused = participant.await(barrierAsync());
  }

  /** Comes to a barrier; the future ends when all members have. */
  public CompletableFuture<@Nullable Void> barrierAsync() {
    return participant.barrier(plan(RendezvousId.Purpose.BARRIER));
  }

  /**
   * Gives a value and waits for those of all members. Its own value is in the map as it is, the
   * others' are copies.
   *
   * @return the values by the names of their workers, in the order of the names; not to be changed
   */
  public <T extends @Nullable Object> Map<String, T> allGather(T value) {
    return cast(participant.gather(plan(RendezvousId.Purpose.GATHER), value));
  }

  /**
   * As {@link #allGather}, at once. The value must not be changed, nor references in it closed,
   * before the future has ended. References that the others' values bring are not closed with the
   * called function that this may run in.
   */
  public <T extends @Nullable Object> CompletableFuture<Map<String, T>> allGatherAsync(T value) {
    return cast(participant.gatherAsync(plan(RendezvousId.Purpose.GATHER), value));
  }

  private RendezvousAttempt plan(RendezvousId.Purpose purpose) {
    return new RendezvousAttempt(new RendezvousId(purpose, whom, name, key), version, members, timeout);
  }

  // All members say that they give a T; one that gives something else is found out where it is
  // used, as with any generic type.
  @SuppressWarnings("unchecked")
  private static <T extends @Nullable Object> CompletableFuture<Map<String, T>> cast(
      CompletableFuture<Map<String, @Nullable Object>> values) {
    return (CompletableFuture<Map<String, T>>) (CompletableFuture<?>) values;
  }

  @SuppressWarnings("unchecked")
  private static <T extends @Nullable Object> Map<String, T> cast(
      Map<String, @Nullable Object> values) {
    return (Map<String, T>) values;
  }
}
