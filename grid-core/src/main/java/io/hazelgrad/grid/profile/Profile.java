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
 * What is recorded between its start and its closing. It can be read at any time. A call that began
 * before the closing is recorded when it ends, also if that is later.
 *
 * <p>Threads: safe; one that {@link Profiler#start} gave is closed on the thread that started it,
 * or else that thread stays marked, at no harm, until its next profile.
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

  /** Returns what was recorded, in the order of its beginning. */
  public List<Event> events() {
    return recording.events().stream().sorted(Comparator.comparingLong(Event::startNanos)).toList();
  }

  /** Returns how many events found no room, see {@link Profiler#MAX_EVENTS}. */
  public long dropped() {
    return recording.dropped();
  }

  /**
   * Waits until all calls that were recorded have ended.
   *
   * @throws GridException TIMEOUT, with how many have not, after that time
   */
  public void await(Duration atMost) {
    int open = context.waiting(() -> recording.awaitEnd(atMost));
    if (open > 0) {
      throw new GridException(
          Status.TIMEOUT, open + " recorded calls did not end within " + atMost.toMillis() + " ms");
    }
  }

  /**
   * All events of one name.
   *
   * @param name the full name, see {@link Event#name()}
   * @param count how many there are
   * @param totalNanos how long they took together
   */
  public record Summary(String name, long count, long totalNanos) {}

  /** Returns the events by name, the longest in total first. */
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

  /** As above; the stream stays open. */
  public void writeTrace(OutputStream out) throws IOException {
    ChromeTrace.write(events(), out);
  }

  /** Stops recording. Closing twice does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      recording.stop();
      detach.run();
    }
  }
}
