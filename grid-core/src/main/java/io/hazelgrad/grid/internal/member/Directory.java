package io.hazelgrad.grid.internal.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryRemovedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.WorkerDirectory;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of the grid: the map {@code hazelgrad.workers} from name to worker. An entry counts
 * only while its member is in the cluster, so a dead worker's entry is no obstacle to its
 * successor. Members hear of each other at slightly different times, so an entry without a member
 * is looked at again for a moment before it counts as dead.
 *
 * <p>A member that dies before others have the backups of what it kept takes entries with it. So
 * every worker looks now and then whether it is entered.
 *
 * <p>Threads: safe. {@link #workers} reads the whole map.
 */
public final class Directory implements WorkerDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(Directory.class);

  public static final String WORKERS = "hazelgrad.workers";
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long QUORUM_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The pause before the background asks again whether a worker is entered. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final HazelcastInstance hazelcast;
  private final Executor threads;
  private final IMap<String, Worker> map;
  private final Map<UUID, Worker> known = new ConcurrentHashMap<>();
  private final GoneWorkers gone = new GoneWorkers();
  private final List<UUID> listeners;

  /** The worker that this member has entered; null before that, and from the moment it leaves. */
  private volatile @Nullable Worker entered;

  private volatile boolean closed;

  /**
   * Creates the view of a member.
   *
   * @param threads may wait for answers
   * @param removed hears of each known worker whose entry goes
   */
  public Directory(HazelcastInstance hazelcast, Executor threads, Consumer<Worker> removed) {
    this.hazelcast = hazelcast;
    this.threads = threads;
    this.map = hazelcast.getMap(WORKERS);
    this.listeners =
        List.of(
            map.addEntryListener(
                (EntryAddedListener<String, Worker>) event -> remember(event.getValue()), true),
            map.addEntryListener(
                (EntryUpdatedListener<String, Worker>) event -> remember(event.getValue()), true),
            map.addEntryListener(
                (EntryRemovedListener<String, Worker>)
                    event -> entryRemoved(event.getOldValue(), removed),
                true));
  }

  /**
   * Forgets a worker whose entry was removed. If the worker's member is in the cluster, the entry
   * is read first. A member that was frozen, and that the others have given up, removes them from
   * its own map when it thaws, and Hazelcast delivers its events here. If nobody answers, the entry
   * is read again, until there is an answer or the worker's member has gone.
   */
  private void entryRemoved(Worker worker, Consumer<Worker> removed) {
    if (member(worker) == null) {
      forgetRemoved(worker, removed);
      return;
    }
    try {
      threads.execute(
          () -> {
            if (isEntered(worker)) {
              LOG.info("{} is still entered: its removal was not one of this cluster", worker);
            } else {
              forgetRemoved(worker, removed);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("this worker is closing; the removal of {} is not handled", worker, e);
    }
  }

  private void forgetRemoved(Worker worker, Consumer<Worker> removed) {
    gone.note(worker, false);
    if (known.remove(worker.incarnation(), worker)) {
      removed.accept(worker);
    }
  }

  private boolean isEntered(Worker worker) {
    while (!closed && isActive()) {
      try {
        return member(worker) != null && worker.equals(ask(worker.name(), QUORUM_NANOS));
      } catch (RuntimeException e) { // The member that keeps the entry is silent or lost.
        LOG.debug("no answer whether {} is entered", worker, e);
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
    return false;
  }

  /** Returns whether the Hazelcast instance below runs. */
  public boolean isActive() {
    return hazelcast.getLifecycleService().isRunning();
  }

  public void close() {
    closed = true;
    listeners.forEach(map::removeEntryListener);
  }

  private Worker remember(Worker worker) {
    known.put(worker.incarnation(), worker);
    return worker;
  }

  /** Creates a worker or client with an id that was never used. Nobody sees it yet. */
  public Worker create(String name, UUID incarnation) {
    return new Worker(name, WorkerIds.next(hazelcast), incarnation);
  }

  /** Enters a worker under its name. */
  public void enter(Worker self) {
    while (true) {
      Worker other = insist(() -> map.putIfAbsent(self.name(), self));
      if (other == null) {
        break;
      }
      // One of this very member is what it was before, or an attempt to join that was given up.
      boolean own = other.incarnation().equals(self.incarnation());
      // A question shortly before the end of the wait needs time for its answer, too.
      if (!own && appeared(other, QUORUM_NANOS)) {
        Member member = member(other);
        throw new GridException(
            Status.NAME_TAKEN,
            "the name \"%s\" is not unique: it belongs to the living worker %s at %s"
                .formatted(
                    self.name(),
                    other.id(),
                    member == null ? "an unknown address" : member.getAddress()));
      }
      if (insist(() -> map.replace(self.name(), other, self))) {
        break;
      }
    }
    entered = self;
  }

  /** Returns whether an entry's member is in the cluster, now or within a moment. */
  private boolean appeared(Worker worker, long patienceNanos) {
    long start = System.nanoTime();
    while (member(worker) == null) {
      long spent = System.nanoTime() - start;
      if (spent >= Math.min(patienceNanos, NEWS_NANOS)
          || !worker.equals(ask(worker.name(), patienceNanos - spent))) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /** Enters this worker again if its entry was lost and no other worker has its name now. */
  public void enterAgain() {
    Worker self = entered;
    if (self == null || map.putIfAbsent(self.name(), self) != null) {
      return;
    }
    if (entered == null) { // It has left meanwhile, and found no entry to take out.
      leave(self);
    } else {
      LOG.warn("the entry of worker {} in {} was lost; it is entered again", self, WORKERS);
    }
  }

  /**
   * Repeats a write, which may be done twice, while the member that keeps the entry lacks the
   * quorum or has gone. A new member has the quorum a moment later, and the entries of one that
   * goes down move to another.
   */
  public static <T extends @Nullable Object> T insist(Supplier<T> write) {
    long start = System.nanoTime();
    while (true) {
      try {
        return write.get();
      } catch (RuntimeException e) {
        GridException failure = ExceptionMapper.of(e);
        boolean passes =
            failure.status() == Status.NO_QUORUM || failure.status() == Status.WORKER_LOST;
        if (!passes || System.nanoTime() - start > QUORUM_NANOS) {
          throw failure;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  public void leave(Worker self) {
    entered = null;
    map.remove(self.name(), self);
  }

  /** Returns a living worker by name or {@link Worker#callee}, or null; or throws TIMEOUT. */
  public @Nullable Worker find(String name, long patienceNanos) {
    for (Worker worker : known.values()) {
      if (worker.isNamed(name) && member(worker) != null) {
        return worker;
      }
    }
    if (name.startsWith("#")) {
      return workers(patienceNanos).stream().filter(w -> w.isNamed(name)).findFirst().orElse(null);
    }
    long start = System.nanoTime();
    Worker found = ask(name, patienceNanos);
    long left = Math.max(0, patienceNanos - (System.nanoTime() - start));
    return found == null || !appeared(found, left) ? null : remember(found);
  }

  /**
   * Reads an entry, and asks again until there is an answer. If a message was lost with a
   * connection, Hazelcast notices after a minute, but a second question is answered at once.
   */
  private @Nullable Worker ask(String name, long patienceNanos) {
    long start = System.nanoTime();
    CompletableFuture<@Nullable Worker> answer = new CompletableFuture<>();
    long left = patienceNanos;
    do {
      map.getAsync(name)
          .whenComplete(
              (worker, failure) -> {
                if (failure == null) {
                  answer.complete(worker);
                } else {
                  answer.completeExceptionally(Causes.of(failure));
                }
              });
      awaitEnd(answer, Math.min(left, AGAIN_NANOS));
      left = patienceNanos - (System.nanoTime() - start);
    } while (!answer.isDone() && left > 0);
    return within(
        patienceNanos,
        left,
        answer,
        "the search for worker \"" + name + "\"",
        "the member that keeps its entry does not answer");
  }

  private static void awaitEnd(CompletableFuture<?> answer, long nanos) {
    try {
      answer.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // Whoever asks looks at what there is.
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    }
  }

  /** Returns {@link #workers()}, or throws TIMEOUT if that takes longer than a time. */
  public List<Worker> workers(long patienceNanos) {
    try {
      return within(
          patienceNanos,
          patienceNanos,
          CompletableFuture.supplyAsync(this::workers, threads),
          "the list of the workers",
          "a member that keeps a part of it does not answer");
    } catch (RejectedExecutionException e) {
      throw new HazelcastInstanceNotActiveException(String.valueOf(e.getMessage()));
    }
  }

  private static <T extends @Nullable Object> T within(
      long patienceNanos, long left, CompletableFuture<T> asked, String what, String why) {
    try {
      return asked.get(left, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new GridException(
          Status.TIMEOUT,
          "%s took longer than %s ms: %s"
              .formatted(what, TimeUnit.NANOSECONDS.toMillis(patienceNanos), why),
          e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HazelcastInstanceNotActiveException closed) {
        throw closed;
      }
      throw ExceptionMapper.of(e);
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    }
  }

  /** Returns the living workers in the order of their ids. */
  public List<Worker> workers() {
    return map.values().stream()
        .filter(worker -> member(worker) != null)
        .map(this::remember)
        .sorted(Comparator.comparingLong(Worker::id))
        .toList();
  }

  /** Returns the names of the living workers that are known here, for errors. Asks nobody. */
  public List<String> knownNames() {
    return knownHere().sorted(Comparator.comparingLong(Worker::id)).map(Worker::name).toList();
  }

  private Stream<Worker> knownHere() {
    return known.values().stream().filter(worker -> member(worker) != null);
  }

  /** {@inheritDoc} Workers whose entry was lost for the moment are there, too. */
  @Override
  public Map<Long, Worker> living() {
    return Stream.concat(workers().stream(), knownHere())
        .collect(Collectors.toMap(Worker::id, worker -> worker, (one, same) -> one));
  }

  @Override
  public Map<Long, Worker> clients() {
    return ClientDirectory.read(hazelcast);
  }

  @Override
  public boolean isLiving(long id) {
    return byId(id) != null || ClientDirectory.isEntered(hazelcast, id);
  }

  @Override
  public boolean isMember(Worker worker) {
    return member(worker) != null;
  }

  @Override
  public @Nullable Worker byId(long id) {
    for (Worker worker : known.values()) {
      if (worker.id() == id) {
        return member(worker) == null ? null : worker;
      }
    }
    return !gone.contains(id) ? living().get(id) : null;
  }

  @Override
  public boolean isLiving(Worker worker) {
    Worker there = known.get(worker.incarnation());
    boolean isKnown = there == null ? !gone.contains(worker.id()) : there.equals(worker);
    return isKnown && member(worker) != null;
  }

  @Override
  public @Nullable Worker on(UUID member) {
    Worker worker = known.get(member);
    if (worker != null) {
      return worker;
    }
    return workers().stream().filter(w -> w.incarnation().equals(member)).findFirst().orElse(null);
  }

  @Override
  public @Nullable Worker knownOn(UUID member) {
    return known.get(member);
  }

  @Override
  public void noteLeft(Worker worker) {
    gone.note(worker, true);
  }

  /** Returns what became of a worker that is gone, for errors. */
  public String fate(long id) {
    if (hasLeft(id)) {
      return "has left";
    }
    return nameOf(id) == null ? "has left or was lost" : "was lost";
  }

  @Override
  public boolean hasLeft(long id) {
    return gone.hasLeft(id);
  }

  @Override
  public @Nullable String nameOf(long id) {
    for (Worker worker : known.values()) {
      if (worker.id() == id) {
        return worker.name();
      }
    }
    return gone.nameOf(id);
  }

  /** Returns the names of the workers that were lost within a time, with the nanoseconds since. */
  public Map<String, Long> lostWithin(long nanos) {
    return gone.lostWithin(nanos);
  }

  /** Forgets a member that left; returns its worker to the first caller. Asks nobody. */
  public @Nullable Worker forget(UUID member) {
    Worker worker = known.get(member);
    if (worker != null) {
      gone.note(worker, false);
    }
    return worker != null && known.remove(member, worker) ? worker : null;
  }

  /** Returns the worker of a member that left, by the entry that is still there; or null. */
  public @Nullable Worker entered(UUID member) {
    for (Worker worker : map.values()) {
      if (worker.incarnation().equals(member)) {
        gone.note(worker, false);
        return worker;
      }
    }
    return null;
  }

  /** Removes a worker's entry, if the member that keeps it has lost the worker as well. */
  public CompletionStage<Boolean> removeLost(Worker worker) {
    return map.submitToKey(worker.name(), new RemoveWorkerProcessor(worker.incarnation()));
  }

  /** Returns the member of a living worker, or null. */
  public @Nullable Member member(Worker worker) {
    return memberOf(hazelcast, worker);
  }

  public static @Nullable Member memberOf(HazelcastInstance hazelcast, Worker worker) {
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (member.getUuid().equals(worker.incarnation())) {
        return member;
      }
    }
    return null;
  }
}
