package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of the handles that this worker or client holds. It creates them, claims their
 * children, and restores and releases their forks. Threads: safe.
 */
public final class HandleTable {
  private static final Logger LOG = LoggerFactory.getLogger(HandleTable.class);

  /** A completed future, for example the creation of an object that is made already. */
  static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final GridContext context;
  private final RegistryMap registry;

  /** Drops a local object that was never sent, when its handle is closed. */
  private final Consumer<RRefId> dropLocal;

  /** Hears that the entry of an owner's object has ended. */
  private final BiConsumer<RRefId, Worker> ended;

  private final boolean fullStacks;
  private final Consumer<RRefHandle> release = this::release;
  private final Map<ForkId, RRefHandle> held = new ConcurrentHashMap<>();
  private final Map<ForkId, CompletableFuture<?>> releasing = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicLong forgotten = new AtomicLong();

  public HandleTable(
      GridContext context,
      RegistryMap registry,
      Consumer<RRefId> dropLocal,
      BiConsumer<RRefId, Worker> ended,
      boolean fullStacks) {
    this.context = context;
    this.registry = registry;
    this.dropLocal = dropLocal;
    this.ended = ended;
    this.fullStacks = fullStacks;
  }

  /** Returns a fork id that was never used. */
  public ForkId newFork() {
    return ForkId.of(context.self().id(), sequence.incrementAndGet());
  }

  /** Creates the first handle of an object that a call to its owner shall make. */
  public RRefHandle creator(Worker owner, boolean durable) {
    return first(owner, durable, false, new CompletableFuture<>());
  }

  /** Creates the first handle of a local object, which the registry does not know yet. */
  public RRefHandle local(boolean durable) {
    return first(context.self(), durable, true, DONE);
  }

  private RRefHandle first(
      Worker owner, boolean durable, boolean local, CompletableFuture<Void> creation) {
    long self = context.self().id();
    RRefId id = new RRefId(self, sequence.incrementAndGet(), registry.partitionKeyNear(owner));
    HandleOrigin origin = HandleOrigin.here(fullStacks);
    RRefHandle handle =
        new RRefHandle(id, owner, durable, local, newFork(), release, origin, creation);
    held.put(handle.fork(), handle);
    return handle;
  }

  /**
   * Creates a handle that was received. If a second copy of its message is read before it is
   * dropped, this returns a closed handle that releases nothing.
   */
  public RRefHandle received(
      RRefId id, Worker owner, boolean durable, ForkId fork, HandleOrigin origin) {
    RRefHandle handle = new RRefHandle(id, owner, durable, false, fork, release, origin, DONE);
    if (held.putIfAbsent(fork, handle) != null) {
      handle.forget();
    }
    return handle;
  }

  /** Returns whether a handle was created by this table. */
  public boolean isOwn(RRefHandle handle) {
    return handle.isReleasedBy(release);
  }

  /** Claims a receiver's fork of the RRef of a handle. */
  public CompletableFuture<Void> claim(
      RRefHandle handle, ForkId parent, ForkId child, long holder) {
    RRefId id = handle.id();
    Worker owner = handle.owner();
    return registry
        .submit(id, new Command.Claim(parent, child, holder, owner.id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                throw registry.refused(id, owner, reply);
              }
            });
  }

  /** Restores the forks of some RRefs; the future ends when the registry has replied. */
  public CompletableFuture<?> restore(Set<RRefId> ids) {
    return CompletableFuture.allOf(
        held.values().stream()
            .filter(handle -> ids.contains(handle.id()))
            .map(this::restore)
            .toArray(CompletableFuture<?>[]::new));
  }

  CompletableFuture<Void> restore(RRefHandle handle) {
    return registry
        .submit(
            handle.id(),
            new Command.Restore(handle.fork(), context.self().id(), handle.owner().id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                handle.fail(registry.refused(handle.id(), handle.owner(), reply));
              }
            });
  }

  /** Ends a handle that is closed and that no message carries any more. */
  private void release(RRefHandle handle) {
    held.remove(handle.fork());
    CompletableFuture<?> registration = handle.registration();
    if (registration != null) {
      var unused = registration.whenComplete((reply, failure) -> releaseFork(handle));
    } else if (handle.isLocal()) {
      dropLocal.accept(handle.id());
    } else {
      releaseFork(handle);
    }
  }

  private void releaseFork(RRefHandle handle) {
    RRefId id = handle.id();
    if (!handle.isDurable()) {
      var unused = release(id, handle.owner(), handle.fork());
      return;
    }
    // This worker may not know the present owner of a durable object; the registry does.
    var unused =
        release(id, null, handle.fork())
            .thenCompose(
                reply ->
                    reply.state() == RRefState.GONE
                        ? registry.entry(id)
                        : CompletableFuture.completedFuture(Entry.ABSENT))
            .thenAcceptAsync(
                entry -> {
                  Worker owner =
                      entry.state() == RRefState.GONE
                          ? context.directory().byId(entry.owner())
                          : null;
                  if (owner != null) {
                    ended.accept(id, owner);
                  }
                },
                context.background());
  }

  /** Releases a fork of this worker, and tells the owner, if it is known, about the last one. */
  public CompletableFuture<CommandReply> release(RRefId id, @Nullable Worker owner, ForkId fork) {
    CompletableFuture<CommandReply> released = registry.submit(id, new Command.Release(fork));
    releasing.put(fork, released);
    var unused =
        released.whenComplete(
            (reply, failure) -> {
              releasing.remove(fork);
              if (failure != null) {
                LOG.debug("{} was not released; reconciliation will do it", fork, failure);
              } else if (reply.state() == RRefState.GONE && owner != null) {
                ended.accept(id, owner);
              }
            });
    return released;
  }

  /** Returns the releases to which the registry has not replied yet. */
  public Collection<CompletableFuture<?>> releasing() {
    return List.copyOf(releasing.values());
  }

  public int releasingCount() {
    return releasing.size();
  }

  /** Removes a handle that nobody else knows; nothing is released. */
  public void forget(RRefHandle handle) {
    handle.forget();
    held.remove(handle.fork());
  }

  public Collection<RRefHandle> all() {
    return List.copyOf(held.values());
  }

  /** Returns the ids of the RRefs of all handles. */
  Set<RRefId> ids() {
    return held.values().stream().map(RRefHandle::id).collect(Collectors.toSet());
  }

  public @Nullable RRefHandle find(ForkId fork) {
    return held.get(fork);
  }

  /** Returns the number of handles whose object is not made yet. */
  public int pendingCount() {
    return (int) held.values().stream().filter(handle -> !handle.creation().isDone()).count();
  }

  public int count() {
    return held.size();
  }

  /** Counts a handle that the garbage collector found before it was closed. */
  public void countForgotten() {
    forgotten.incrementAndGet();
  }

  public long forgotten() {
    return forgotten.get();
  }
}
