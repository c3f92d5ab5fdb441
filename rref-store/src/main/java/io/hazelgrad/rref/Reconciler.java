package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Command.HolderLost;
import io.hazelgrad.rref.Command.OwnerLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what the registry says with what is true, at every loss of a member and now and then:
 *
 * <ul>
 *   <li>this member's primary entries with the living incarnations;
 *   <li>this owner's objects with the entries that should keep them;
 *   <li>the forks that the registry says are held here with the handles that are.
 * </ul>
 *
 * <p>Races: members hear of each other at different times, so an incarnation that nobody reported
 * as lost must be missing for {@link #NEWS} before it counts as dead. A fork may be seen after its
 * handle was released and before its handle was made; so what has no handle must stay without one
 * from one round to the next, and what a call that has not ended may bring does not count.
 */
final class Reconciler {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final Duration NEWS = Duration.ofSeconds(2);
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);

  private final GridContext context;
  private final RegistryMap registry;
  private final Handles handles;
  private final OwnedObjects objects;
  private final DropHints hints;
  private final Restoration restoration;
  private final Predicate<ForkId> awaited;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private final ReentrantLock running = new ReentrantLock();

  /** The incarnations that were lost or left; their ids are never used again. */
  private final Set<Long> lost = ConcurrentHashMap.newKeySet();

  /** When an incarnation that an entry names was first missing. Guarded by the lock. */
  private final Map<Long, Long> missing = new HashMap<>();

  /** When a fork without a handle was first seen. Guarded by the lock. */
  private final Map<ForkId, Long> strays = new HashMap<>();

  Reconciler(
      GridContext context,
      RegistryMap registry,
      Handles handles,
      OwnedObjects objects,
      DropHints hints,
      Predicate<ForkId> awaited) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.objects = objects;
    this.hints = hints;
    this.awaited = awaited;
    this.restoration = new Restoration(context, registry, handles, objects, hints);
    context.onLost(worker -> lost.add(worker.id()));
  }

  /** Does a round; if one is going on, lets that do another one. */
  void run() {
    wanted.set(true);
    while (wanted.get() && running.tryLock()) {
      try {
        while (wanted.getAndSet(false) && isRunning()) {
          sweepDead();
          checkObjects();
          checkForks();
        }
      } finally {
        running.unlock();
      }
    }
  }

  private boolean isRunning() {
    return context.ended() == null && context.hazelcast().getLifecycleService().isRunning();
  }

  private void sweepDead() {
    Set<RRefId> suspicious = registry.localKeys(RegistryQuery.dead(context.living().keySet()));
    if (suspicious.isEmpty()) {
      missing.clear();
      return;
    }
    Map<RRefId, Entry> entries = new HashMap<>();
    suspicious.forEach(id -> entries.put(id, registry.entry(id).join()));
    // Once more, after the entries were read: a worker is in the directory before its first fork.
    Map<Long, Worker> living = context.living();
    entries.forEach((id, entry) -> sweep(id, entry, living));
    missing.keySet().removeAll(living.keySet());
  }

  private void sweep(RRefId id, Entry entry, Map<Long, Worker> living) {
    List<Command> commands = new ArrayList<>();
    for (long holder : new HashSet<>(entry.forks().holders())) {
      if (isDead(holder, living)) {
        commands.add(new HolderLost(holder));
      }
    }
    if (entry.owner() != Entry.NO_OWNER && isDead(entry.owner(), living)) {
      commands.add(new OwnerLost(entry.owner()));
    }
    Worker owner = living.get(entry.owner());
    for (Command command : commands) {
      Reply reply = registry.submit(id, command).join();
      LOG.debug("{} of {}: {}", command, id, reply);
      if (reply.state() == State.GONE && owner != null) {
        hints.gone(id, owner);
      }
    }
  }

  private boolean isDead(long incarnation, Map<Long, Worker> living) {
    if (living.containsKey(incarnation)) {
      return false;
    }
    long now = System.nanoTime();
    long since = missing.computeIfAbsent(incarnation, key -> now);
    return lost.contains(incarnation) || now - since > NEWS.toNanos();
  }

  /**
   * Drops objects whose entry has ended, where the hint did not arrive; and makes entries anew that
   * were lost with their partition.
   */
  private void checkObjects() {
    List<OwnedObject> shared =
        objects.all().stream().filter(object -> object.isCreated() && isShared(object)).toList();
    if (!shared.isEmpty()) {
      Set<RRefId> live = registry.keys(RegistryQuery.ownedBy(context.self().id()));
      for (OwnedObject object : shared) {
        if (!live.contains(object.id())) {
          checkEntry(object);
        }
      }
    }
    restoration.run();
  }

  private void checkEntry(OwnedObject object) {
    switch (registry.entry(object.id()).join().state()) {
      case GONE -> objects.drop(object.id());
      case LOST -> objects.drop(object.id(), lost(object.id()));
      // A tombstone outlives many rounds, so this is no end: a partition was lost.
      case ABSENT, EXPECTED -> restoration.add(object);
      case CREATING, READY, FAILED, TIMED_OUT -> {} // Live since.
    }
  }

  /** Returns whether the registry should know an object. */
  private boolean isShared(OwnedObject object) {
    ForkId fork = object.localFork();
    Handle handle = fork == null ? null : handles.find(fork);
    CompletableFuture<?> registration = handle == null ? null : handle.registration();
    return handle == null || (registration != null && registration.isDone());
  }

  /** Releases forks of this holder that no handle stands for, such as those of lost replies. */
  private void checkForks() {
    long self = context.self().id();
    Set<ForkId> seen = new HashSet<>();
    for (Map.Entry<RRefId, Entry> stored : registry.entries(RegistryQuery.heldBy(self))) {
      Entry entry = stored.getValue();
      for (ForkId fork : entry.forks().heldBy(self)) {
        if (handles.find(fork) == null && !awaited.test(fork) && !restoration.keeps(fork)) {
          seen.add(fork);
          long since = strays.computeIfAbsent(fork, key -> System.nanoTime());
          if (System.nanoTime() - since > context.reconcileEvery().toNanos() / 2) {
            LOG.info("{} of {} has no handle here; released", fork, stored.getKey());
            handles.release(stored.getKey(), context.byId(entry.owner()), fork);
          }
        }
      }
    }
    strays.keySet().retainAll(seen);
  }

  /** Drops all objects and says nothing: the others have given this worker up. */
  void drop(GridException reason) {
    objects.all().forEach(object -> objects.drop(object.id(), reason));
  }

  /** Says, when this worker leaves, that its objects go with it. */
  void leave() {
    List<CompletableFuture<?>> said = new ArrayList<>();
    for (OwnedObject object : objects.all()) {
      if (object.isCreated() && isShared(object)) {
        said.add(registry.submit(object.id(), new OwnerLost(context.self().id())));
      }
      objects.drop(object.id(), lost(object.id()));
    }
    said.addAll(handles.releasing());
    try {
      CompletableFuture.allOf(said.toArray(new CompletableFuture<?>[0]))
          .get(LEAVE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("not all was released before leaving; the others reconcile: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private GridException lost(RRefId id) {
    return new GridException(
        Status.RREF_LOST, id + " is lost with its owner, worker " + context.self().name());
  }
}
