package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A running or ended recording of events. It can be read at any time. A call that began before the
 * profile was closed is recorded when it ends, even after that.
 *
 * <p>Threads: safe. A profile of {@link Profiler#start} should be closed on the thread that started
 * it. If another thread closes it, the starting thread keeps an unused mark until its next profile.
 */
public final class Profile implements AutoCloseable {
  private static final long MAX_MILLIS = 1_000_000_000L;

  private final GridContext context;
  private final Set<Detail> details;
  private final int limit;
  private final Consumer<Profile> detach;
  private final List<Event> events = new ArrayList<>();
  private long dropped;

  /** The number of calls that began in this profile and have not ended. */
  private int open;

  private volatile boolean closed;

  Profile(GridContext context, Set<Detail> details, int limit, Consumer<Profile> detach) {
    this.context = context;
    this.details = details;
    this.limit = limit;
    this.detach = detach;
  }

  /** Returns the details that any of the profiles wants. */
  static Set<Detail> details(List<Profile> profiles) {
    Set<Detail> details = EnumSet.noneOf(Detail.class);
    profiles.forEach(profile -> details.addAll(profile.details));
    return details;
  }

  /** Counts a call that begins; false if the profile is closed. */
  synchronized boolean begin() {
    if (closed) {
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
    if (!closed) {
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

  /** Returns the events in the order of their ends. */
  synchronized List<Event> recorded() {
    return List.copyOf(events);
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the recorded events in the order of their start. */
  public List<Event> events() {
    return recorded().stream().sorted(Comparator.comparingLong(Event::startNanos)).toList();
  }

  /** Returns the number of events beyond {@link Profiler#MAX_EVENTS}, which were dropped. */
  public synchronized long dropped() {
    return dropped;
  }

  /** Waits until all recorded calls have ended; throws TIMEOUT, with the number of the others. */
  public void await(Duration atMost) {
    int left = context.waiting(() -> awaitEnd(atMost));
    if (left > 0) {
      throw new GridException(
          Status.TIMEOUT, left + " recorded calls did not end within " + atMost.toMillis() + " ms");
    }
  }

  private synchronized int awaitEnd(Duration atMost) {
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

  /** The number and the total duration of all events with one {@link Event#name()}. */
  public record Summary(String name, long count, long totalNanos) {
    private Summary plus(Summary other) {
      return new Summary(name, count + other.count, totalNanos + other.totalNanos);
    }
  }

  /** Returns the summaries of all names, the longest in total first. */
  public List<Summary> summary() {
    Map<String, Summary> byName = new TreeMap<>();
    for (Event event : recorded()) {
      Summary one = new Summary(event.name(), 1, event.durationNanos());
      byName.merge(event.name(), one, Summary::plus);
    }
    return byName.values().stream()
        .sorted(Comparator.comparingLong(Summary::totalNanos).reversed())
        .toList();
  }

  /** Writes the events as a trace in Chrome's JSON format, which ui.perfetto.dev opens. */
  public void writeTrace(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      writeTrace(out);
    }
  }

  /** Writes the trace to a stream, which stays open. */
  public void writeTrace(OutputStream out) throws IOException {
    ChromeTrace.write(events(), out);
  }

  /** Stops the recording. Closing it again does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    detach.accept(this);
  }
}
