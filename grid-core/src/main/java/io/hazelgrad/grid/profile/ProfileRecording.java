package io.hazelgrad.grid.profile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A list of events that grows until it is stopped or full.
 *
 * <p>A call that began in a recording belongs to it, even if it ends after the recording was
 * stopped. The recording therefore counts the calls that have not ended.
 *
 * <p>Threads: safe.
 */
final class ProfileRecording {
  private static final long MAX_MILLIS = 1_000_000_000L;

  private final Set<Detail> details;
  private final int limit;
  private final List<Event> events = new ArrayList<>();
  private long dropped;
  private int open;
  private volatile boolean stopped;

  ProfileRecording(Set<Detail> details, int limit) {
    this.details = details;
    this.limit = limit;
  }

  boolean wants(Detail detail) {
    return details.contains(detail);
  }

  /** Counts a call that begins; false if the recording is stopped. */
  synchronized boolean begin() {
    if (stopped) {
      return false;
    }
    open++;
    return true;
  }

  /** Adds a call that has ended, and the events that its reply brought. */
  synchronized void end(Event call, List<Event> brought) {
    open--;
    append(call);
    brought.forEach(this::append);
    notifyAll();
  }

  synchronized void add(Event event) {
    if (!stopped) {
      append(event);
    }
  }

  private void append(Event event) {
    if (events.size() < limit) {
      events.add(event);
    } else {
      dropped++;
    }
  }

  synchronized void stop() {
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  synchronized List<Event> events() {
    return List.copyOf(events);
  }

  /** Returns the number of events that found no room. */
  synchronized long dropped() {
    return dropped;
  }

  /**
   * Waits until all calls have ended; returns the number of calls that have not ended in that time.
   */
  synchronized int awaitEnd(Duration atMost) {
    long deadline = System.nanoTime() + Math.min(atMost.toMillis(), MAX_MILLIS) * 1_000_000;
    try {
      while (open > 0 && System.nanoTime() - deadline < 0) {
        wait(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return open;
  }
}
