package io.hazelgrad.rref;

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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
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
 * <p>Races: who joined after the living were counted looks dead; so whoever is missing is looked up
 * once more after its fork was seen, since a worker is in the directory before its first fork. A
 * fork or object of a call under way may be seen before its handle or entry; so what has no
 * counterpart must stay without one for {@link #GRACE}.
 */
final class Reconciler {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);

  private final GridContext context;
  private final RegistryMap registry;
  private final Handles handles;
  private final OwnedObjects objects;
  private final DropHints hints;
  private final ReentrantLock running = new ReentrantLock();

  /** When a fork without a handle was first seen. Guarded by the lock. */
  private final Map<ForkId, Long> strays = new HashMap<>();

  Reconciler(
      GridContext context,
      RegistryMap registry,
      Handles handles,
      OwnedObjects objects,
      DropHints hints) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.objects = objects;
    this.hints = hints;
  }

  void run() {
    running.lock();
    try {
      sweepDead();
      checkObjects();
      checkForks();
    } finally {
      running.unlock();
    }
  }

  private void sweepDead() {
    Set<RRefId> suspicious = registry.localKeys(RegistryQuery.dead(context.living().keySet()));
    if (suspicious.isEmpty()) {
      return;
    }
    Map<RRefId, Entry> entries = new HashMap<>();
    suspicious.forEach(id -> entries.put(id, registry.entry(id).join()));
    Map<Long, Worker> living = context.living();
    entries.forEach((id, entry) -> sweep(id, entry, living));
  }

  private void sweep(RRefId id, Entry entry, Map<Long, Worker> living) {
    Set<Long> dead = new HashSet<>(entry.forks().holders());
    dead.removeAll(living.keySet());
    List<Command> commands = new ArrayList<>();
    dead.forEach(holder -> commands.add(new HolderLost(holder)));
    if (entry.owner() != Entry.NO_OWNER && !living.containsKey(entry.owner())) {
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

  /** Drops objects whose entry has ended, where the hint did not arrive. */
  private void checkObjects() {
    List<OwnedObject> old =
        objects.all().stream()
            .filter(object -> object.ageNanos() > GRACE.toNanos() && !isUnshared(object))
            .toList();
    if (old.isEmpty()) {
      return;
    }
    Set<RRefId> live = registry.keys(RegistryQuery.ownedBy(context.self().id()));
    for (OwnedObject object : old) {
      if (!live.contains(object.id())) {
        State state = registry.entry(object.id()).join().state();
        // Absent is no end: a tombstone outlives many rounds, so a partition must have been lost.
        if (state == State.GONE || state == State.LOST) {
          objects.drop(object.id());
        }
      }
    }
  }

  private boolean isUnshared(OwnedObject object) {
    ForkId fork = object.localFork();
    Handle handle = fork == null ? null : handles.find(fork);
    return handle != null && handle.registration() == null;
  }

  /** Releases forks of this holder that no handle stands for, such as those of lost replies. */
  private void checkForks() {
    long self = context.self().id();
    Set<ForkId> seen = new HashSet<>();
    for (Map.Entry<RRefId, Entry> stored : registry.entries(RegistryQuery.heldBy(self))) {
      Entry entry = stored.getValue();
      for (ForkId fork : entry.forks().heldBy(self)) {
        if (handles.find(fork) == null) {
          seen.add(fork);
          long since = strays.computeIfAbsent(fork, key -> System.nanoTime());
          Worker owner = context.byId(entry.owner());
          if (System.nanoTime() - since > GRACE.toNanos()) {
            LOG.info("{} of {} has no handle here; released", fork, stored.getKey());
            handles.release(stored.getKey(), owner, fork);
          }
        }
      }
    }
    strays.keySet().retainAll(seen);
  }

  /** Says, when this worker leaves, that its objects go with it. */
  void leave() {
    List<CompletableFuture<?>> said = new ArrayList<>();
    for (OwnedObject object : objects.all()) {
      if (!isUnshared(object)) {
        said.add(registry.submit(object.id(), new OwnerLost(context.self().id())));
      }
      objects.drop(object.id());
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
}
