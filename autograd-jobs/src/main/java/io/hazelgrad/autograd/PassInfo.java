package io.hazelgrad.autograd;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A backward pass of the grid that runs, or ended within the last hour.
 *
 * @param context the context's id, such as {@code 17-3}
 * @param pass the id of the pass in errors, such as {@code 17/4}; null if planning failed
 * @param attempt 0, and one more for each retry after a member was lost
 * @param state the state
 * @param worker the name of the initiator, which ran the roots
 * @param isClient whether the initiator is a thin client
 * @param workers the names of the participants including clients, the initiator first
 * @param waves the number of waves
 * @param messages the number of messages whose gradients flow
 * @param bytes the bytes of the gradients that the participants took in the last attempt; null
 *     while the pass runs, or if a participant could not be asked
 * @param started the time at which it began, by the initiator's clock
 * @param milliseconds the duration in milliseconds; null while the pass runs
 * @param status the status of the error, or null
 * @param error the message of the error, or null
 * @param times when members computed, ordered by wave and worker; none while the pass runs, and of
 *     each member only the first 32
 */
public record PassInfo(
    String context,
    @Nullable String pass,
    int attempt,
    State state,
    String worker,
    boolean isClient,
    List<String> workers,
    int waves,
    int messages,
    @Nullable Long bytes,
    Instant started,
    @Nullable Double milliseconds,
    @Nullable String status,
    @Nullable String error,
    List<WaveTime> times) {
  /** The state of a pass. */
  public enum State {
    /** It runs. */
    RUNNING,

    /** It has ended, and its gradients were added. */
    COMMITTED,

    /** It has failed, and no worker keeps any of its gradients. */
    ABORTED
  }

  /**
   * The time at which a member computed in one wave.
   *
   * @param worker its name; a client's computation counts as that of the member that relays for it
   * @param wave the number of the wave; the roots are wave 0
   * @param started the start, by the member's clock
   * @param milliseconds the duration in milliseconds
   */
  public record WaveTime(String worker, int wave, Instant started, double milliseconds) {}

  /** Copies the lists, and orders the times. */
  public PassInfo {
    workers = List.copyOf(workers);
    times =
        times.stream()
            .sorted(Comparator.comparingInt(WaveTime::wave).thenComparing(WaveTime::worker))
            .toList();
  }
}
