package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableObject;
import io.hazelgrad.rref.internal.handle.ForkReassertion;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.object.OwnerFork;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.Keep;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.DropHints;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.runtime.WireIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the entries of an owner's objects anew that were lost with their partition: the owner
 * enters them with a fork of its own, the keeper; asks every living worker to enter the forks that
 * it holds; lets every client do so, which asks by itself what is wanted; and releases the keepers
 * when all have done so, twice. So nothing is dropped that somebody holds, and nothing stays that
 * nobody does.
 *
 * <p>Threads: the services may run at any time, the rest in the reconciler's rounds only.
 */
final class EntryRestoration {
  /** The topic on which owners announce that there is something for clients to do. */
  static final String TOPIC = "hazelgrad.rrefs.restored";

  /** Asked by clients: what they have entered goes in, what they shall enter comes out. */
  static final String CLIENTS = "rref.restoring";

  private static final Logger LOG = LoggerFactory.getLogger(EntryRestoration.class);
  private static final String SERVICE = "rref.restore";
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int PAGE = 4096;

  /** After how long holders are asked again that did not answer. */
  private static final long AGAIN_MILLIS = 1000;

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;
  private final OwnedObjects objects;
  private final DropHints hints;
  private final LongConsumer roundIn;

  /** What is being restored; an entry stays here until all holders have answered. */
  private final Map<RRefId, OwnerFork> keepers = new ConcurrentHashMap<>();

  /**
   * Makes it.
   *
   * @param roundIn lets the reconciler do another round in so many milliseconds
   */
  EntryRestoration(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      OwnedObjects objects,
      DropHints hints,
      ForkReassertion held,
      LongConsumer roundIn) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.objects = objects;
    this.hints = hints;
    this.roundIn = roundIn;
    context.asyncHandler(SERVICE, (arguments, request) -> held.restore(ids(arguments)));
    context.handler(
        CLIENTS,
        Handler.Lane.CONTROL,
        (arguments, request) -> wanted(ids(arguments), request.call().caller().id()));
  }

  private static Set<RRefId> ids(List<@Nullable Object> arguments) {
    Set<RRefId> ids = new HashSet<>();
    arguments.forEach(argument -> ids.add(WireIds.ofLongs(argument)));
    return ids;
  }

  boolean keeps(ForkId fork) {
    return keepers.values().stream().anyMatch(keeper -> keeper.fork().equals(fork));
  }

  /** Enters an object again, kept by this owner until {@link #run} has asked all holders. */
  void add(OwnedObject object) {
    RRefId id = object.id();
    long self = context.self().id();
    ForkId keeper = handles.newFork();
    keepers.put(id, new OwnerFork(keeper));
    CommandReply reply = registry.submit(id, new Keep(keeper, self)).join();
    if (reply.isOk()) {
      reply = registry.submit(id, entry(object, keeper)).join();
      if (reply.state() == RRefState.CREATING && object.value().isDone()) {
        // It ended meanwhile, and said so perhaps before there was an entry.
        var unused = registry.submit(id, entry(object, null)).join();
      }
    }
    LOG.info("the registry entry of {} was lost and is made anew: {}", id, reply);
    if (!reply.isOk()) {
      objects.drop(id, registry.refused(id, context.self(), reply));
    }
  }

  private Command entry(OwnedObject object, @Nullable ForkId keeper) {
    long self = context.self().id();
    CompletableFuture<@Nullable Object> value = object.value();
    if (!value.isDone() && keeper != null) {
      return new Create(self, keeper, self);
    }
    if (value.isCompletedExceptionally()) {
      return new Resolve(self, RRefState.FAILED, null, keeper, self);
    }
    Object made = value.getNow(null);
    String type = made == null ? null : made.getClass().getName();
    DurableObject durable = object.durable();
    if (durable == null) {
      return new Resolve(self, RRefState.READY, type, keeper, self);
    }
    // What was stored lay beside the entry, and is lost as well.
    var unused = durable.checkpoint();
    return new Resolve(self, RRefState.READY, type, keeper, self, durable.epoch());
  }

  /** Asks all holders; those that do not answer are asked again in a moment. */
  void run() {
    long now = System.nanoTime();
    Map<RRefId, OwnerFork> due = new HashMap<>(keepers);
    due.values().removeIf(keeper -> !keeper.isDue(now));
    if (due.isEmpty()) {
      return;
    }
    letClientsAnswer(due.values(), now);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Worker worker : context.living().values()) {
      List<@Nullable Object> ids = new ArrayList<>(due.size());
      due.keySet().forEach(id -> ids.add(WireIds.toLongs(id)));
      asked.add(context.call(worker, SERVICE, ids, DEADLINE));
    }
    try {
      var unused = CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])).join();
    } catch (CompletionException e) {
      LOG.info("not all holders of lost entries have answered; they are asked again", e);
      roundIn.accept(AGAIN_MILLIS);
      return;
    }
    end(due);
  }

  /** Releases the keepers of entries whose holders have answered, for the last time. */
  private void end(Map<RRefId, OwnerFork> asked) {
    Collection<Long> clients = context.clients().keySet();
    long now = System.nanoTime();
    boolean again = false;
    for (Map.Entry<RRefId, OwnerFork> kept : asked.entrySet()) {
      OwnerFork keeper = kept.getValue();
      if (keeper.awaitsAny(clients, now)) {
        continue;
      }
      if (!keeper.isOver(now)) {
        again = true;
        continue;
      }
      CommandReply reply = registry.submit(kept.getKey(), new Release(keeper.fork())).join();
      if (reply.state() == RRefState.GONE) {
        hints.gone(kept.getKey(), context.self());
      }
      keepers.remove(kept.getKey());
    }
    if (again) {
      roundIn.accept(OwnerFork.PAUSE.toMillis() + 1);
    }
  }

  /** Those that enter the grid from now on hold nothing of before. */
  private void letClientsAnswer(Collection<OwnerFork> due, long now) {
    Set<Long> clients = context.clients().keySet();
    due.forEach(keeper -> keeper.await(clients, now));
    if (!clients.isEmpty()) {
      context.hazelcast().<Long>getTopic(TOPIC).publish(context.self().id());
    }
  }

  /** A client has entered its forks of some RRefs; returns of which others it shall do so. */
  private List<long[]> wanted(Set<RRefId> entered, long client) {
    for (RRefId id : entered) {
      OwnerFork keeper = keepers.get(id);
      if (keeper != null) {
        keeper.answered(client);
      }
    }
    if (!entered.isEmpty()) {
      roundIn.accept(0);
    }
    long now = System.nanoTime();
    return keepers.entrySet().stream()
        .filter(kept -> kept.getValue().isDue(now) && !kept.getValue().hasAnswered(client))
        .limit(PAGE)
        .map(kept -> WireIds.toLongs(kept.getKey()))
        .toList();
  }
}
