package io.hazelgrad.grid.waits;

import java.util.List;

/**
 * A call, thread or permit of a worker that others wait for, or that waits itself.
 *
 * @param id its name within the worker
 * @param what a clause about it, such as {@code runs Bank.deposit for w1}
 * @param millis how long this has lasted
 * @param any true if it goes on as soon as one of its needs goes on; false if it needs all
 * @param needs what it waits for; empty if it runs, or if that is not known
 */
public record Wait(Kind kind, String id, String what, long millis, boolean any, List<Need> needs) {
  /** The kinds of things that wait. */
  public enum Kind {
    /** A call that this worker made and that has no reply yet. */
    REQUEST,
    /** A call that this worker serves. */
    CALL,
    /** A thread. */
    THREAD,
    /** The permits of the worker, all of which are in use. */
    PERMITS,
    /** A round of a collective or a barrier. */
    ROUND
  }

  /** Copies the needs. */
  public Wait {
    needs = List.copyOf(needs);
  }
}
