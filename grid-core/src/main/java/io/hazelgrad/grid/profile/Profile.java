package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A running or ended recording of events. It can be read at any time. A call that began before the
 * profile was closed is recorded when it ends, even after that.
 *
 * <p>Threads: safe. A profile of {@link Profiler#start} should be closed on the thread that started
 * it. If another thread closes it, the starting thread keeps an unused mark until its next profile.
 */
public final class Profile implements AutoCloseable {
  private final GridContext context;
  private final ProfileRecording recording;
  private final Runnable detach;
  private final AtomicBoolean closed = new AtomicBoolean();

  Profile(GridContext context, ProfileRecording recording, Runnable detach) {
    this.context = context;
    this.recording = recording;
    this.detach = detach;
  }

  /** Returns the recorded events in the order of their start. */
  public List<Event> events() {
    return recording.events().stream().sorted(Comparator.comparingLong(Event::startNanos)).toList();
  }

  /** Returns the number of events beyond {@link Profiler#MAX_EVENTS}, which were dropped. */
  public long dropped() {
    return recording.dropped();
  }

  /**
   * Waits until all recorded calls have ended.
   *
   * @throws GridException TIMEOUT, with the number of calls that have not ended in that time
   */
  public void await(Duration atMost) {
    int open = context.waiting(() -> recording.awaitEnd(atMost));
    if (open > 0) {
      throw new GridException(
          Status.TIMEOUT, open + " recorded calls did not end within " + atMost.toMillis() + " ms");
    }
  }

  /**
   * The events of one name together.
   *
   * @param name the full name, see {@link Event#name()}
   * @param count the number of events
   * @param totalNanos the sum of their durations
   */
  public record Summary(String name, long count, long totalNanos) {}

  /** Returns the summaries of all names, the longest in total first. */
  public List<Summary> summary() {
    Map<String, Summary> byName = new TreeMap<>();
    for (Event event : recording.events()) {
      var unused =
          byName.merge(
              event.name(),
              new Summary(event.name(), 1, event.durationNanos()),
              (a, b) ->
                  new Summary(a.name(), a.count() + b.count(), a.totalNanos() + b.totalNanos()));
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
    if (closed.compareAndSet(false, true)) {
      recording.stop();
      detach.run();
    }
  }
}
