package io.hazelgrad.autograd;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the grid knows of a backward pass that runs, or has ended within the last hour.
 *
 * @param context the context's id, such as {@code 17-3}
 * @param pass the pass as errors name it, such as {@code 17/4}; null if it failed while it was
 *     planned
 * @param attempt 0, and one more for each time it was run again after a member was lost
 * @param state where it stands
 * @param worker the name of who began it, and ran its roots
 * @param isClient whether that is a thin client
 * @param workers the names of those that take part, clients included, that one first
 * @param waves how many waves it has
 * @param messages how many messages its gradients flow along
 * @param bytes bytes of the gradients that all of them took, in the last attempt; null if it runs,
 *     or one of them could not be asked
 * @param started when it began, by that one's clock
 * @param milliseconds how long it took; null while it runs
 * @param status why it failed, or null
 * @param error what the caller was told, or null
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
    @Nullable String error) {
  /** Where a pass stands. */
  public enum State {
    /** It runs. */
    RUNNING,

    /** It has ended, and its gradients count. */
    COMMITTED,

    /** It has failed, and nobody has anything of it. */
    ABORTED
  }

  /** Copies the list. */
  public PassInfo {
    workers = List.copyOf(workers);
  }
}
