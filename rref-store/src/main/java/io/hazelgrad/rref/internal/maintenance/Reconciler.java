package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.LimitedMap;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.durable.OwnershipTransfer;
import io.hazelgrad.rref.internal.durable.StoredValueSweep;
import io.hazelgrad.rref.internal.handle.ForkReconciliation;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.DropHints;
import io.hazelgrad.rref.internal.object.DurableObject;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the registry with the living workers, objects and handles, periodically and after
 * every loss of a member. Each round compares
 *
 * <ul>
 *   <li>this member's primary entries with the living incarnations;
 *   <li>this worker's objects with their entries;
 *   <li>the forks that the registry lists for this holder with its handles ({@link
 *       ForkReconciliation}).
 * </ul>
 *
 * <p>Members learn of each other at different times, and a living worker may be missing from the
 * directory until it has entered itself again. An incarnation that nobody reported as lost counts
 * as dead after it was missing for {@link #MISSING_LIMIT}. That is longer than a member may be
 * frozen and still belong to the grid.
 */
public final class Reconciler extends Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final Duration MISSING_LIMIT = Duration.ofSeconds(10);
  private static final int MOST_LOST = 10_000;
  private static final List<Long> AFTER_A_LOSS_MILLIS = List.of(200L, 600L, 1500L, 2600L, 4000L);

  private final OwnedObjects objects;
  private final DropHints hints;
  private final EntryRestoration restoration;
  private final OwnershipTransfer transfer;
  private final StoredValueSweep valueSweep;
  private final ForkReconciliation forks;

  /** The ids of the incarnations that were lost or left last; ids are never used again. */
  private final Set<Long> lost =
      Collections.newSetFromMap(Collections.synchronizedMap(new LimitedMap<>(MOST_LOST)));

  /** The time at which each incarnation was first missing. Used in rounds only. */
  private final Map<Long, Long> missing = new HashMap<>();

  public Reconciler(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      OwnedObjects objects,
      DropHints hints,
      OwnershipTransfer transfer,
      OwnerLookup lookup,
      StoredValueSweep valueSweep,
      Predicate<ForkId> awaited) {
    super(context, registry, handles, lookup);
    this.objects = objects;
    this.hints = hints;
    this.transfer = transfer;
    this.valueSweep = valueSweep;
    this.restoration =
        new EntryRestoration(context, registry, handles, objects, hints, this::runIn);
    this.forks =
        new ForkReconciliation(
            context,
            registry,
            handles,
            fork -> awaited.test(fork) || restoration.isOwnerFork(fork),
            () -> -1); // Others can pass references to a worker at any time.
    context.onLost(
        worker -> {
          lost.add(worker.id());
          AFTER_A_LOSS_MILLIS.forEach(this::runIn);
        });
    context.onResume(() -> AFTER_A_LOSS_MILLIS.forEach(this::runIn)); // Entries may be lost.
    context.onClientGone(this::clientGone);
  }

  /** Starts a round later: the partitions of a lost member move to other members first. */
  private void runIn(long millis) {
    // A grid that is closing refuses the round.
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, context.background())
        .execute(() -> rounds.run(this::compare));
  }

  @Override
  void compare() {
    sweepDead();
    checkObjects();
    forks.run();
    updateOwners();
    valueSweep.run();
  }

  private void clientGone(Worker client) {
    lost.add(client.id());
    rounds.between(this::sweepDead);
  }

  private void sweepDead() {
    Set<Long> now = context.directory().livingAndClients().keySet();
    Set<RRefId> suspicious = registry.localKeys(RegistryQuery.dead(now));
    if (suspicious.isEmpty()) {
      missing.clear();
      return;
    }
    Map<RRefId, Entry> entries = new HashMap<>();
    suspicious.forEach(id -> entries.put(id, registry.entry(id).join()));
    // Read again after the entries: a holder is in the grid before it has a fork.
    Map<Long, Worker> living = context.directory().livingAndClients();
    List<RRefId> orphans = new ArrayList<>();
    entries.forEach(
        (id, entry) -> {
          if (sweep(id, entry, living) == RRefState.ORPHANED) {
            orphans.add(id);
          }
        });
    missing.keySet().removeAll(living.keySet());
    transfer.adoptAll(orphans);
  }

  /** Removes dead holders and owners from an entry; returns its state afterwards. */
  private RRefState sweep(RRefId id, Entry entry, Map<Long, Worker> living) {
    List<Command> commands = new ArrayList<>();
    for (long holder : entry.forks().holders()) {
      if (isDead(holder, living)) {
        commands.add(new Command.HolderLost(holder));
      }
    }
    boolean owned = entry.owner() != Entry.NO_OWNER && entry.state() != RRefState.ORPHANED;
    if (owned && isDead(entry.owner(), living)) {
      commands.add(new Command.OwnerLost(entry.owner()));
    }
    Worker owner = living.get(entry.owner());
    RRefState state = entry.state();
    for (Command command : commands) {
      CommandReply reply = registry.submit(id, command).join();
      LOG.debug("{} of {}: {}", command, id, reply);
      state = reply.state();
      if (state == RRefState.GONE && owner != null) {
        hints.ended(id, owner);
      }
    }
    return state;
  }

  private boolean isDead(long incarnation, Map<Long, Worker> living) {
    if (living.containsKey(incarnation)) {
      return false;
    }
    long now = System.nanoTime();
    long since = missing.computeIfAbsent(incarnation, key -> now);
    return lost.contains(incarnation) || now - since > MISSING_LIMIT.toNanos();
  }

  /** Drops objects whose entry ended without a hint, and restores lost entries. */
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
    Entry entry = registry.entry(object.id()).join();
    switch (entry.state()) {
      case GONE -> objects.drop(object.id());
      case LOST -> objects.drop(object.id(), RegistryMap.lost(object.id(), context.self()));
      // A tombstone outlives many rounds, so the object has not ended: a partition was lost.
      case ABSENT, EXPECTED -> restoration.add(object);
      case CREATING, READY, FAILED, TIMED_OUT, ORPHANED -> {
        DurableObject durable = object.durable();
        if (durable != null && isMoved(entry, durable)) {
          objects.drop(object.id(), OwnedObject.moved(object.id()));
        } // Otherwise the entry is live.
      }
    }
  }

  /** Returns whether another worker has adopted the object, or will. */
  private static boolean isMoved(Entry entry, DurableObject durable) {
    return entry.epoch() > durable.epoch()
        || (entry.epoch() == durable.epoch() && entry.state() == RRefState.ORPHANED);
  }

  /** Returns whether the registry should know an object. */
  private boolean isShared(OwnedObject object) {
    ForkId fork = object.localFork();
    if (fork == null) {
      return object.isEntered();
    }
    RRefHandle handle = handles.find(fork);
    CompletableFuture<?> registration = handle == null ? null : handle.registration();
    return handle == null || (registration != null && registration.isDone());
  }

  @Override
  public void drop(GridException reason) {
    objects.all().forEach(object -> objects.drop(object.id(), reason));
  }

  @Override
  public void leave() {
    List<CompletableFuture<?>> replies = new ArrayList<>();
    for (OwnedObject object : objects.all()) {
      if (object.isCreated() && isShared(object)) {
        replies.add(registry.submit(object.id(), new Command.OwnerLost(context.self().id())));
      }
      objects.drop(object.id(), RegistryMap.lost(object.id(), context.self()));
    }
    replies.addAll(handles.releasing());
    awaitReplies(replies);
  }
}
