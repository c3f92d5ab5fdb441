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
import java.util.function.Consumer;

/**
 * Records what calls do, on this worker and on the workers that they lead to. Threads: safe.
 *
 * <pre>{@code
 * try (Profile profile = Profiler.of(grid).start()) {
 *   grid.rpc().sync("w1", Ranker::score, x);
 *   profile.writeTrace(Path.of("trace.json")); // For ui.perfetto.dev.
 * }
 * }</pre>
 *
 * <p>The request of a recorded call carries a mark. The callee then records its function and the
 * calls that the function makes, and sends the events with the reply. If a call fails, only the
 * events of its caller are kept. Without a profile, calls carry nothing and cost nothing more.
 *
 * <p>The clocks of machines are never compared. The events of a callee are shifted as if the
 * request and the reply had taken the same time. They therefore lie within their call; the error is
 * at most half of the difference.
 */
public final class Profiler {
  /** The most events of a profile; further ones are only counted. */
  public static final int MAX_EVENTS = 1_000_000;

  private final GridContext context;
  private final AtomicLong numbers = new AtomicLong();
  private final List<Profile> everything = new CopyOnWriteArrayList<>();

  Profiler(GridContext context) {
    this.context = context;
    context.interceptor(new ProfileMessages(this));
  }

  /** Returns the profiler of a worker or client. */
  public static Profiler of(GridAccess grid) {
    return grid.service(Profiler.class);
  }

  /**
   * Records this thread until the profile is closed: its calls with all that they lead to, its
   * operations and its scopes. Profiles nest: an inner one records its part, the outer one both.
   */
  public Profile start(Detail... details) {
    Profile profile = create(Set.of(details), MAX_EVENTS, closed -> ThreadBinding.unbindClosed());
    ThreadBinding.bind(this, profile);
    return profile;
  }

  /** Records all calls of this worker or client, as {@link WorkerProfile} does from elsewhere. */
  public Profile startWorker(Detail... details) {
    Profile profile = create(Set.of(details), MAX_EVENTS, everything::remove);
    everything.add(profile);
    return profile;
  }

  /**
   * Opens a scope on this thread. It becomes an event of the profiles that record the thread; in a
   * called function, those are the caller's. Closing it twice does nothing.
   */
  public static Trace.Span scope(String name) {
    return Trace.scope(name);
  }

  /**
   * Writes events as {@link Profile#writeTrace(OutputStream)} does; the stream stays open. Events
   * of several {@link WorkerProfile}s must first be brought to one clock by {@link Event#shifted}.
   */
  public static void writeTrace(List<Event> events, OutputStream out) throws IOException {
    ChromeTrace.write(events, out);
  }

  Profile create(Set<Detail> details, int limit, Consumer<Profile> detach) {
    return new Profile(context, details, limit, detach);
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

  /** Returns these profiles together with those of the whole worker. */
  List<Profile> withEverything(List<Profile> profiles) {
    if (everything.isEmpty()) {
      return List.copyOf(profiles);
    }
    List<Profile> all = new ArrayList<>(profiles);
    everything.stream().filter(profile -> !all.contains(profile)).forEach(all::add);
    return all;
  }
}
