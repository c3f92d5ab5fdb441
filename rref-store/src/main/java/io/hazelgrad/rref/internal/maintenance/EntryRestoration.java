package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.call.RRefMessages;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.object.DropHints;
import io.hazelgrad.rref.internal.object.DurableObject;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the entries of an owner's objects that were lost with their partition. The owner enters
 * each object with a fork of its own ({@link OwnerFork}). It asks every living worker to restore
 * the forks that it holds; clients ask by themselves which forks to restore. When all have answered
 * twice, the owner releases its own fork. So no held object is dropped, and no other one stays.
 * Threads: the services may run at any time, all else in the reconciler's rounds only.
 */
final class EntryRestoration {
  /** The topic on which owners announce to clients that they restore entries. */
  static final String TOPIC = "hazelgrad.rrefs.restored";

  /** The service that clients call with restored ids; it returns the ids to restore next. */
  static final String CLIENTS = RRefMessages.RESTORING;

  private static final Logger LOG = LoggerFactory.getLogger(EntryRestoration.class);
  private static final String SERVICE = "rref.restore";
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int PAGE = 4096;

  /** The pause before holders that did not answer are asked again. */
  private static final long RETRY_MILLIS = 1000;

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;
  private final OwnedObjects objects;
  private final DropHints hints;

  /** Starts a round of the reconciler after a number of milliseconds. */
  private final LongConsumer roundIn;

  /** The entries that are being restored, until all holders have answered. */
  private final Map<RRefId, OwnerFork> ownerForks = new ConcurrentHashMap<>();

  EntryRestoration(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      OwnedObjects objects,
      DropHints hints,
      LongConsumer roundIn) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.objects = objects;
    this.hints = hints;
    this.roundIn = roundIn;
    context.asyncHandler(SERVICE, (arguments, request) -> handles.restore(ids(arguments)));
    context.handler(
        CLIENTS,
        Handler.Lane.CONTROL,
        (arguments, request) -> wanted(ids(arguments), request.call().caller().id()));
  }

  static Set<RRefId> ids(List<@Nullable Object> arguments) {
    return arguments.stream().map(WireIds::rrefOfLongs).collect(Collectors.toSet());
  }

  boolean isOwnerFork(ForkId fork) {
    return ownerForks.values().stream().anyMatch(own -> own.fork().equals(fork));
  }

  /** Enters an object again; this owner keeps it until {@link #run} has asked all holders. */
  void add(OwnedObject object) {
    RRefId id = object.id();
    long self = context.self().id();
    ForkId fork = handles.newFork();
    ownerForks.put(id, new OwnerFork(fork));
    CommandReply reply = registry.submit(id, new Command.Keep(fork, self)).join();
    if (reply.isOk()) {
      reply = registry.submit(id, entry(object, fork)).join();
      if (reply.state() == RRefState.CREATING && object.value().isDone()) {
        // The creation ended meanwhile, perhaps before there was an entry.
        var unused = registry.submit(id, entry(object, null)).join();
      }
    }
    LOG.info("the registry entry of {} was lost and is restored: {}", id, reply);
    if (!reply.isOk()) {
      objects.drop(id, registry.refused(id, context.self(), reply));
    }
  }

  private Command entry(OwnedObject object, @Nullable ForkId fork) {
    long self = context.self().id();
    CompletableFuture<@Nullable Object> value = object.value();
    if (!value.isDone() && fork != null) {
      return new Command.Create(self, fork, self);
    }
    if (value.isCompletedExceptionally()) {
      return new Command.Resolve(self, RRefState.FAILED, null, fork, self);
    }
    DurableObject durable = object.durable();
    if (durable == null) {
      return new Command.Resolve(self, RRefState.READY, object.type(), fork, self);
    }
    // The stored value lay on the same member as the entry and is lost, too.
    var unused = durable.checkpoint();
    return new Command.Resolve(self, RRefState.READY, object.type(), fork, self, durable.epoch());
  }

  /** Asks all holders; those that do not answer are asked again after a second. */
  void run() {
    long now = System.nanoTime();
    Map<RRefId, OwnerFork> due = new HashMap<>(ownerForks);
    due.values().removeIf(fork -> !fork.isDue(now));
    if (due.isEmpty()) {
      return;
    }
    announce(due.values(), now);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Worker worker : context.directory().living().values()) {
      asked.add(context.call(worker, SERVICE, WireIds.toLongs(due.keySet()), DEADLINE));
    }
    try {
      var unused = CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])).join();
    } catch (CompletionException e) {
      LOG.info("not all holders of lost entries have answered; they are asked again", e);
      roundIn.accept(RETRY_MILLIS);
      return;
    }
    end(due);
  }

  /** Releases the owner forks of entries whose holders have answered for the last time. */
  private void end(Map<RRefId, OwnerFork> asked) {
    Collection<Long> clients = context.directory().clients().keySet();
    long now = System.nanoTime();
    boolean again = false;
    for (Map.Entry<RRefId, OwnerFork> kept : asked.entrySet()) {
      OwnerFork fork = kept.getValue();
      if (fork.awaitsAny(clients, now)) {
        continue;
      }
      if (!fork.isOver(now)) {
        again = true;
        continue;
      }
      CommandReply reply = registry.submit(kept.getKey(), new Command.Release(fork.fork())).join();
      if (reply.state() == RRefState.GONE) {
        hints.ended(kept.getKey(), context.self());
      }
      ownerForks.remove(kept.getKey());
    }
    if (again) {
      roundIn.accept(OwnerFork.PAUSE.toMillis() + 1);
    }
  }

  /** Announces the restoration to the clients of now; later ones hold no earlier handle. */
  private void announce(Collection<OwnerFork> due, long now) {
    Set<Long> clients = context.directory().clients().keySet();
    due.forEach(fork -> fork.await(clients, now));
    if (!clients.isEmpty()) {
      context.hazelcast().<Long>getTopic(TOPIC).publish(context.self().id());
    }
  }

  /** Notes that a client has restored its forks of some RRefs; returns the next ones. */
  private List<long[]> wanted(Set<RRefId> entered, long client) {
    for (RRefId id : entered) {
      OwnerFork fork = ownerForks.get(id);
      if (fork != null) {
        fork.answered(client);
      }
    }
    if (!entered.isEmpty()) {
      roundIn.accept(0);
    }
    long now = System.nanoTime();
    return ownerForks.entrySet().stream()
        .filter(kept -> kept.getValue().isDue(now) && !kept.getValue().hasAnswered(client))
        .limit(PAGE)
        .map(kept -> WireIds.toLongs(kept.getKey()))
        .toList();
  }
}
