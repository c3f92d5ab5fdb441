package io.hazelgrad.grid.waits;

import java.util.List;

/**
 * One answer to the question why a grid is slow or stuck.
 *
 * @param workers the names of the workers that are the cause, as far as it is known
 * @param millis how long it has lasted; 0 if that is not known
 * @param lines sentences about it, the first one is a summary
 */
public record Finding(Kind kind, List<String> workers, long millis, List<String> lines) {
  /** The kinds of findings; the worst ones come first. */
  public enum Kind {
    /** Calls, locks, permits or rounds that wait for each other in a cycle. */
    DEADLOCK,
    /** A worker that does not answer. */
    SILENT,
    /** A worker that the cluster has removed within the last minute, and that is not back. */
    LOST,
    /** A collective or barrier that a worker has not reached. */
    ABSENT,
    /** A worker for which the others wait in each training step. */
    STRAGGLER,
    /** A call that takes long, and what it waits for. */
    WAIT
  }

  /** Copies the lists. */
  public Finding {
    workers = List.copyOf(workers);
    lines = List.copyOf(lines);
  }
}
