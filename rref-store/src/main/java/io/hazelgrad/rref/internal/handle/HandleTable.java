package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableObject;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.DropHints;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handles that this worker holds, and what they say to the registry. Threads: safe. */
public final class HandleTable {
  private static final Logger LOG = LoggerFactory.getLogger(HandleTable.class);

  /** What has nothing to wait for. */
  static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final DropHints hints;
  private final boolean fullStacks;
  private final Map<ForkId, RRefHandle> held = new ConcurrentHashMap<>();
  private final Set<RRefHandle> durables = ConcurrentHashMap.newKeySet();
  private final Map<ForkId, CompletableFuture<?>> releasing = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicLong forgotten = new AtomicLong();

  public HandleTable(
      GridContext context,
      RegistryMap registry,
      OwnedObjects objects,
      DropHints hints,
      boolean fullStacks) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.hints = hints;
    this.fullStacks = fullStacks;
  }

  private long self() {
    return context.self().id();
  }

  public ForkId newFork() {
    return ForkId.of(self(), sequence.incrementAndGet());
  }

  RRefId newId(Worker owner) {
    return new RRefId(self(), sequence.incrementAndGet(), registry.partitionKeyNear(owner));
  }

  /** Makes the first handle of an RRef whose object another call shall make. */
  public RRefHandle creator(Worker owner, boolean durable) {
    return add(
        new RRefHandle(
            newId(owner),
            owner,
            durable,
            newFork(),
            this,
            HandleOrigin.here(fullStacks),
            new CompletableFuture<>()));
  }

  /** Makes the handle of a local object, which the registry does not know yet. */
  public RRefHandle local(boolean durable) {
    Worker self = context.self();
    return add(
        new RRefHandle(
            newId(self), self, durable, newFork(), this, HandleOrigin.here(fullStacks), DONE));
  }

  /**
   * Makes a handle that was received. A second copy of the message that brought it, which is read
   * only to be dropped, gives one that is closed and releases nothing.
   */
  public RRefHandle received(
      RRefId id, Worker owner, boolean durable, ForkId fork, HandleOrigin origin) {
    RRefHandle handle = new RRefHandle(id, owner, durable, fork, this, origin, DONE);
    if (held.putIfAbsent(fork, handle) != null) {
      handle.forget();
    } else if (durable) {
      durables.add(handle);
    }
    return handle;
  }

  private RRefHandle add(RRefHandle handle) {
    held.put(handle.fork(), handle);
    if (handle.isDurable()) {
      durables.add(handle);
    }
    return handle;
  }

  /** Returns whether a handle is the first one of an object made here without a call. */
  boolean isLocal(RRefHandle handle) {
    OwnedObject object = objects.find(handle.id());
    return object != null && handle.fork().equals(object.localFork());
  }

  /** Enters a local object in the registry. */
  CompletableFuture<?> register(RRefHandle handle) {
    OwnedObject object = objects.find(handle.id());
    Object value = object == null ? null : object.value().getNow(null);
    String type = value == null ? null : value.getClass().getName();
    DurableObject kept = object == null ? null : object.durable();
    if (kept == null) {
      return registry.submit(
          handle.id(), new Resolve(self(), RRefState.READY, type, handle.fork(), self()));
    }
    return kept.checkpoint()
        .handle((nothing, failure) -> failure == null ? kept.epoch() : notStored(kept, failure))
        .thenCompose(
            epoch ->
                registry.submit(
                    handle.id(),
                    new Resolve(self(), RRefState.READY, type, handle.fork(), self(), epoch)));
  }

  private static int notStored(DurableObject kept, Throwable failure) {
    LOG.warn("{} is shared, but could not be stored, and so is not durable", kept.id(), failure);
    return Entry.NOT_DURABLE;
  }

  /** Says that a receiver's handle was made from one held here or elsewhere. */
  public CompletableFuture<Void> claim(
      RRefId id, Worker owner, ForkId parent, ForkId child, long holder) {
    return registry
        .submit(id, new Claim(parent, child, holder, owner.id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                throw registry.refused(id, owner, reply);
              }
            });
  }

  /** Says that a handle is over, whether or not the registry knew it. */
  void release(RRefHandle handle) {
    remove(handle);
    CompletableFuture<?> registration = handle.registration();
    if (registration == null && isLocal(handle)) {
      objects.drop(handle.id());
    } else if (registration == null) {
      releaseFork(handle);
    } else {
      var unused = registration.whenComplete((reply, failure) -> releaseFork(handle));
    }
  }

  /** The owner of a durable object may have changed unheard: then the registry knows it. */
  private void releaseFork(RRefHandle handle) {
    RRefId id = handle.id();
    CompletableFuture<CommandReply> released =
        release(id, handle.isDurable() ? null : handle.owner(), handle.fork());
    if (handle.isDurable()) {
      var unused =
          released
              .thenCompose(
                  reply ->
                      reply.state() == RRefState.GONE
                          ? registry.entry(id)
                          : CompletableFuture.completedFuture(Entry.ABSENT))
              .thenAcceptAsync(entry -> tellOwner(id, entry), context.background());
    }
  }

  private void tellOwner(RRefId id, Entry entry) {
    Worker owner = entry.state() == RRefState.GONE ? context.byId(entry.owner()) : null;
    if (owner != null) {
      hints.gone(id, owner);
    }
  }

  /**
   * Says that a fork of this worker is over; the owner, if it is known, hears if it was the last.
   */
  public CompletableFuture<CommandReply> release(RRefId id, @Nullable Worker owner, ForkId fork) {
    CompletableFuture<CommandReply> released = registry.submit(id, new Release(fork));
    releasing.put(fork, released);
    var unused =
        released.whenComplete(
            (reply, failure) -> {
              releasing.remove(fork);
              if (failure != null) {
                LOG.debug("not released, left to reconciliation: {}", fork, failure);
              } else if (reply.state() == RRefState.GONE && owner != null) {
                hints.gone(id, owner);
              }
            });
    return released;
  }

  /** Returns what was said to the registry about closed handles and not answered yet. */
  public Collection<CompletableFuture<?>> releasing() {
    return List.copyOf(releasing.values());
  }

  public int releasingCount() {
    return releasing.size();
  }

  /** Forgets a handle of which nobody else ever heard. */
  public void forget(RRefHandle handle) {
    handle.forget();
    remove(handle);
  }

  private void remove(RRefHandle handle) {
    held.remove(handle.fork());
    durables.remove(handle);
  }

  /** Returns the handles of durable objects. */
  public Collection<RRefHandle> durable() {
    return List.copyOf(durables);
  }

  public Collection<RRefHandle> all() {
    return List.copyOf(held.values());
  }

  public @Nullable RRefHandle find(ForkId fork) {
    return held.get(fork);
  }

  /** Returns how many handles wait for their object to be made. */
  public int pendingCount() {
    return (int) held.values().stream().filter(handle -> !handle.creation().isDone()).count();
  }

  public int count() {
    return held.size();
  }

  /** Counts a handle that was never closed, and that the garbage collector found. */
  public void countForgotten() {
    forgotten.incrementAndGet();
  }

  public long forgotten() {
    return forgotten.get();
  }
}
