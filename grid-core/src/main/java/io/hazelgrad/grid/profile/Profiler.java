package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Trace;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records what calls do, here and on the workers that they lead to.
 *
 * <pre>{@code
 * try (Profile profile = Profiler.of(grid).start()) {
 *   grid.rpc().sync("w1", Ranker::score, x);
 *   profile.writeTrace(Path.of("trace.json")); // For ui.perfetto.dev.
 * }
 * }</pre>
 *
 * <p>A call that is recorded carries a mark; the callee records what its function does, and what
 * the calls that it makes lead to, and sends that with the reply. Of a call that fails only what
 * its caller saw is kept. While nothing is recorded, calls carry nothing and cost nothing more.
 *
 * <p><b>Clocks.</b> Machines' clocks are never compared. The events of a callee are shifted as if
 * the request and the reply had taken equally long; so they lie within their call, and are wrong by
 * half of the difference at most.
 *
 * <p>Threads: safe.
 */
public final class Profiler {
  /** How many events a profile holds; what comes after is counted only. */
  public static final int MAX_EVENTS = 1_000_000;

  private final GridContext context;
  private final AtomicLong numbers = new AtomicLong();
  private final List<ProfileRecording> everything = new CopyOnWriteArrayList<>();

  Profiler(GridContext context) {
    this.context = context;
    context.interceptor(new ProfileMessages(this));
  }

  /** Returns the profiler of a worker or client. */
  public static Profiler of(GridAccess grid) {
    return grid.service(Profiler.class);
  }

  /**
   * Records what this thread does from now on, until the profile is closed: its calls, with all
   * that they lead to, its operations and scopes. A profile within another one sees its own part,
   * the outer one sees both.
   */
  public Profile start(Detail... details) {
    ProfileRecording recording = new ProfileRecording(Set.of(details), MAX_EVENTS);
    ThreadBinding binding = ThreadBinding.bind(this, recording);
    return new Profile(context, recording, binding::unbind);
  }

  /**
   * Records everything that this worker does for calls, its own and those of others, until the
   * profile is closed; on a client its own. See {@link WorkerProfile} to do that from afar.
   */
  public Profile startWorker(Detail... details) {
    ProfileRecording recording = new ProfileRecording(Set.of(details), MAX_EVENTS);
    everything.add(recording);
    return new Profile(context, recording, () -> everything.remove(recording));
  }

  /**
   * Opens a scope of this thread; it is an event of the profiles that record the thread, in a
   * called function those of its caller. Closing it ends it, and closing it again does nothing.
   * Costs next to nothing while nothing is recorded.
   */
  public static Trace.Span scope(String name) {
    return Trace.scope(name);
  }

  /**
   * Writes events, such as those of several {@link WorkerProfile}s brought to one clock by {@link
   * Event#shifted}, as {@link Profile#writeTrace(OutputStream)} does; the stream stays open.
   */
  public static void writeTrace(List<Event> events, OutputStream out) throws IOException {
    ChromeTrace.write(events, out);
  }

  Worker worker() {
    return context.self();
  }

  EventId nextId() {
    return new EventId(context.self().id(), numbers.incrementAndGet());
  }

  boolean recordsEverything() {
    return !everything.isEmpty();
  }

  /** Returns those recordings with those of the whole worker. */
  List<ProfileRecording> withEverything(List<ProfileRecording> recordings) {
    if (everything.isEmpty()) {
      return List.copyOf(recordings);
    }
    List<ProfileRecording> all = new ArrayList<>(recordings);
    everything.stream().filter(recording -> !all.contains(recording)).forEach(all::add);
    return all;
  }
}
