package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends and receives notices of leaving: a worker that gave one is not taken for lost. */
final class LeaveNotice {
  static final String SERVICE = "group.leaving";

  /** The longest wait for the others; a frozen worker must not delay this one. */
  private static final Duration MAX_WAIT = Duration.ofMillis(500);

  /**
   * The longest wait for others that leave at the same time: most of them answer nobody any more.
   */
  private static final Duration MAX_WAIT_TOGETHER = Duration.ofMillis(100);

  /** The kinds of notices. Their names travel. */
  enum Kind {
    /** The worker will leave; new work should go elsewhere. */
    ALONE,
    /** The worker is ready to leave with all others. */
    TOGETHER,
    /** The worker leaves now. */
    GOODBYE
  }

  private final GridContext context;
  private final Map<Long, Kind> notices = new ConcurrentHashMap<>();

  LeaveNotice(GridContext context) {
    this.context = context;
  }

  /** Tells the others, and waits until they have answered, at most 500 ms, or 100 ms together. */
  void announce(Kind kind) {
    if (!context.hazelcast().getLifecycleService().isRunning()) {
      return;
    }
    Duration wait = context.leavesWithAll() ? MAX_WAIT_TOGETHER : MAX_WAIT;
    CompletableFuture<?>[] sent =
        LivingWorkers.others(context).stream()
            .map(worker -> context.tryCall(worker, SERVICE, List.of(kind.name()), wait))
            .toArray(CompletableFuture<?>[]::new);
    // A worker without the notice takes this one for lost, which has no other effect.
    CompletableFuture.allOf(sent)
        .completeOnTimeout(null, wait.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(failure -> null)
        .join();
  }

  @Nullable Object received(List<@Nullable Object> arguments, Incoming request) {
    Worker worker = request.call().caller();
    Kind kind = Kind.valueOf(String.valueOf(arguments.get(0)));
    if (kind == Kind.GOODBYE) {
      context.directory().noteLeft(worker);
    } else {
      notices.put(worker.id(), kind);
    }
    return null;
  }

  void lost(Worker worker) {
    notices.remove(worker.id());
  }

  /** Returns whether the last notice of a worker was of this kind. */
  boolean has(Kind kind, Worker worker) {
    return notices.get(worker.id()) == kind;
  }
}
