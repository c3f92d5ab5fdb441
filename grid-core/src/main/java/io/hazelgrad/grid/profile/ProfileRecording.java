package io.hazelgrad.grid.profile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A list of events that grows until it is stopped, or full. Threads: safe.
 *
 * <p>A call that began in a recording belongs to it, also if it ends after the recording was
 * stopped; so a recording counts those that have not ended.
 */
final class ProfileRecording {
  private static final long LONGEST_MILLIS = 1_000_000_000L;

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

  /** A call begins; false if the recording is stopped. */
  synchronized boolean begin() {
    if (stopped) {
      return false;
    }
    open++;
    return true;
  }

  /** Ends a call with all that it brought. */
  synchronized void end(Event call, List<Event> brought) {
    open--;
    keep(call);
    brought.forEach(this::keep);
    notifyAll();
  }

  synchronized void add(Event event) {
    if (!stopped) {
      keep(event);
    }
  }

  private void keep(Event event) {
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

  /** Returns how many events found no room. */
  synchronized long dropped() {
    return dropped;
  }

  /** Waits until no call is open; returns how many still are after that time. */
  synchronized int awaitEnd(Duration atMost) {
    long deadline = System.nanoTime() + Math.min(atMost.toMillis(), LONGEST_MILLIS) * 1_000_000;
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
