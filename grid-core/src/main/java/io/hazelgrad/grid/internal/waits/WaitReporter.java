package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Caller;
import io.hazelgrad.grid.internal.call.OpenCall;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.serve.CallPool;
import io.hazelgrad.grid.internal.serve.CallState.Phase;
import io.hazelgrad.grid.internal.serve.Callee;
import io.hazelgrad.grid.internal.serve.ServedCall;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.TrainingSteps;
import io.hazelgrad.grid.waits.Wait;
import io.hazelgrad.grid.waits.Wait.Kind;
import io.hazelgrad.grid.waits.WaitSources;
import io.hazelgrad.grid.waits.WorkerReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells what this worker waits for: its calls in both directions, the threads that run them, the
 * permits, and what modules add. It reads tables that exist, and takes no lock for longer than one
 * entry. Threads: safe.
 */
public final class WaitReporter implements WaitSources {
  /** The most calls of each direction that a report has, those that have lasted longest. */
  private static final int MOST_CALLS = 500;

  /** A worker that was lost longer ago is not told. */
  private static final long LOST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final String PERMITS = "permits";

  private final Worker self;
  private final Directory directory;
  private final Caller caller;
  private final Callee callee;
  private final CallPool user;
  private final int permits;
  private final List<Supplier<List<Meeting>>> meetings = new CopyOnWriteArrayList<>();
  private final List<Supplier<List<TrainingSteps>>> steps = new CopyOnWriteArrayList<>();

  /**
   * Makes the reporter of a worker.
   *
   * @param user the pool that runs functions, with {@code permits} permits
   */
  public WaitReporter(
      Worker self, Directory directory, Caller caller, Callee callee, CallPool user, int permits) {
    this.self = self;
    this.directory = directory;
    this.caller = caller;
    this.callee = callee;
    this.user = user;
    this.permits = permits;
  }

  @Override
  public void addMeetings(Supplier<List<Meeting>> more) {
    meetings.add(more);
  }

  @Override
  public void addSteps(Supplier<List<TrainingSteps>> more) {
    steps.add(more);
  }

  /** Returns the name of the worker on a member, as far as it is known here; else null. */
  public @Nullable String nameOn(UUID member) {
    Worker worker = directory.knownOn(member);
    return worker == null ? null : worker.name();
  }

  /** Returns what has lasted for so long, and all meetings and steps. */
  public WorkerReport report(long leastMillis) {
    return new Snapshot(TimeUnit.MILLISECONDS.toNanos(leastMillis)).report();
  }

  private static <T> List<T> all(List<Supplier<List<T>>> sources) {
    return sources.stream().flatMap(source -> source.get().stream()).toList();
  }

  /** The state of this worker at one moment. */
  private final class Snapshot {
    private final long now = System.nanoTime();
    private final List<OpenCall> requests;
    private final List<ServedCall> calls;
    private final List<Meeting> open = all(meetings);
    private final ThreadStates threads;

    Snapshot(long leastNanos) {
      requests =
          caller.openCalls().stream()
              .filter(it -> now - it.madeNanos() >= leastNanos && !it.call().kind().isGroup())
              .sorted(Comparator.comparingLong(OpenCall::madeNanos))
              .limit(MOST_CALLS)
              .toList();
      calls =
          callee.calls().stream()
              .filter(it -> now - it.receivedNanos() >= leastNanos && !it.call().kind().isGroup())
              .sorted(Comparator.comparingLong(ServedCall::receivedNanos))
              .limit(MOST_CALLS)
              .toList();
      Set<Long> ids = new HashSet<>();
      calls.forEach(it -> ids.add(it.thread()));
      requests.stream().filter(it -> it.within() == null).forEach(it -> ids.add(it.thread()));
      open.forEach(it -> ids.add(it.thread()));
      ids.remove(0L);
      threads = new ThreadStates(ids);
    }

    WorkerReport report() {
      List<Wait> waits = new ArrayList<>();
      requests.forEach(it -> waits.add(request(it)));
      calls.forEach(it -> waits.add(call(it)));
      threads.ids().forEach(it -> waits.add(thread(it)));
      if (user.free() == 0) {
        waits.add(permits());
      }
      Map<String, Long> lost = directory.lostWithin(LOST_NANOS);
      lost.replaceAll((name, nanos) -> TimeUnit.NANOSECONDS.toMillis(nanos));
      return new WorkerReport(self.name(), waits, open, all(steps), lost);
    }

    private Need here(String id) {
      return new Need(self.name(), id);
    }

    private long millis(long sinceNanos) {
      return TimeUnit.NANOSECONDS.toMillis(now - sinceNanos);
    }

    private Wait request(OpenCall each) {
      String to = each.call().callee().name();
      return new Wait(
          Kind.REQUEST,
          requestId(each),
          "waits for %s on %s".formatted(each.call().function(), to),
          millis(each.madeNanos()),
          false,
          List.of(new Need(to, callId(each.call().id()))));
    }

    private Wait call(ServedCall each) {
      List<Need> needs =
          switch (each.phase()) {
            case QUEUED, ARRIVED -> each.lane() == user ? List.of(here(PERMITS)) : List.of();
            case RUNNING, ENDED ->
                each.thread() == 0 ? List.of() : List.of(here(threadId(each.thread())));
            case SETTLING ->
                requestsThat(request -> each.call().id().equals(request.within())).toList();
            case ARRIVING, READYING -> List.of();
          };
      return new Wait(
          Kind.CALL,
          callId(each.call().id()),
          phrase(each),
          millis(each.receivedNanos()),
          false,
          needs);
    }

    private static String phrase(ServedCall each) {
      String what = "%s for %s".formatted(each.call().function(), each.call().caller().name());
      return switch (each.phase()) {
        case QUEUED, ARRIVED -> "has no permit free for " + what;
        case ARRIVING -> "waits for references in the arguments of " + what;
        case RUNNING, ENDED -> "runs " + what;
        case SETTLING -> "waits for the stage that %s returned".formatted(what);
        case READYING -> "waits for references in the result of " + what;
      };
    }

    private Wait thread(long id) {
      List<Need> needs = new ArrayList<>();
      long owner = threads.lockOwner(id);
      if (owner > 0) {
        needs.add(here(threadId(owner)));
      } else if (threads.waitsForPermit(id)) {
        needs.add(here(PERMITS));
      } else if (threads.waitsForGrid(id)) {
        CallId served =
            calls.stream()
                .filter(it -> it.thread() == id)
                .map(it -> it.call().id())
                .findFirst()
                .orElse(null);
        requestsThat(
                it ->
                    served == null
                        ? it.within() == null && it.thread() == id
                        : served.equals(it.within()))
            .forEach(needs::add);
        open.stream()
            .filter(it -> it.thread() == id && it.isOpen())
            .forEach(it -> needs.add(here(WaitGraph.roundId(it.id()))));
      }
      return new Wait(Kind.THREAD, threadId(id), threads.describe(id), 0, false, needs);
    }

    private Stream<Need> requestsThat(Predicate<OpenCall> which) {
      return requests.stream().filter(which).map(it -> here(requestId(it)));
    }

    /** If some permits are held by calls that are not known here, these will give one back. */
    private Wait permits() {
      List<ServedCall> holders =
          calls.stream()
              .filter(it -> it.lane() == user && it.phase() == Phase.RUNNING && it.thread() != 0)
              .filter(it -> !threads.hasGivenPermitUp(it.thread()))
              .toList();
      boolean areAllKnown = holders.size() >= permits;
      return new Wait(
          Kind.PERMITS,
          PERMITS,
          "has no permit free, all %d are in use".formatted(permits),
          areAllKnown
              ? holders.stream().mapToLong(it -> millis(it.receivedNanos())).min().orElse(0)
              : 0,
          true,
          areAllKnown
              ? holders.stream().map(it -> here(threadId(it.thread()))).toList()
              : List.of());
    }
  }

  private static String requestId(OpenCall each) {
    return "request " + each.call().id();
  }

  private static String callId(CallId id) {
    return "call " + Objects.requireNonNull(id);
  }

  /** Returns the id of the wait of a thread. */
  static String threadId(long thread) {
    return "thread " + thread;
  }
}
