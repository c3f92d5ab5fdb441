package io.hazelgrad.rref;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Command.Create;
import io.hazelgrad.rref.Command.Release;
import io.hazelgrad.rref.Command.Resolve;
import io.hazelgrad.rref.Command.Restore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the entries of an owner's objects anew that were lost with their partition: the owner
 * enters them with a fork of its own, the keeper; asks every living worker to enter the forks that
 * it holds; and releases the keepers when all have done so. So nothing is dropped that somebody
 * holds, and nothing stays that nobody does.
 *
 * <p>Threads: {@link #restore} may run at any time, the rest in the reconciler's rounds only.
 */
final class Restoration {
  private static final Logger LOG = LoggerFactory.getLogger(Restoration.class);
  private static final String SERVICE = "rref.restore";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext context;
  private final RegistryMap registry;
  private final Handles handles;
  private final OwnedObjects objects;
  private final DropHints hints;

  /** What is being restored; an entry stays here until all holders were asked. */
  private final Map<RRefId, ForkId> keepers = new LinkedHashMap<>();

  Restoration(
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
    context.asyncHandler(SERVICE, (arguments, request) -> restore(arguments));
  }

  boolean keeps(ForkId fork) {
    return keepers.containsValue(fork);
  }

  /** Enters an object again, kept by this owner until {@link #run} has asked all holders. */
  void add(OwnedObject object) {
    RRefId id = object.id();
    long self = context.self().id();
    ForkId keeper = handles.newFork();
    keepers.put(id, keeper);
    Reply reply = registry.submit(id, new Restore(keeper, self, self)).join();
    if (reply.isOk()) {
      reply = registry.submit(id, entry(object, keeper)).join();
      if (reply.state() == State.CREATING && object.value().isDone()) {
        // It ended meanwhile, and said so perhaps before there was an entry.
        var unused = registry.submit(id, entry(object, null)).join();
      }
    }
    LOG.info("the registry entry of {} was lost and is made anew: {}", id, reply);
    if (!reply.isOk()) {
      objects.drop(id, RegistryMap.refused(id, context.self(), reply));
    }
  }

  private Command entry(OwnedObject object, @Nullable ForkId keeper) {
    long self = context.self().id();
    CompletableFuture<@Nullable Object> value = object.value();
    if (!value.isDone() && keeper != null) {
      return new Create(self, keeper, self);
    }
    if (value.isCompletedExceptionally()) {
      return new Resolve(self, State.FAILED, null, keeper, self);
    }
    Object made = value.getNow(null);
    String type = made == null ? null : made.getClass().getName();
    return new Resolve(self, State.READY, type, keeper, self);
  }

  /** Asks all holders; those that do not answer are asked again in the next round. */
  void run() {
    if (keepers.isEmpty()) {
      return;
    }
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Worker worker : context.living().values()) {
      List<@Nullable Object> ids = new ArrayList<>(keepers.size());
      keepers.keySet().forEach(id -> ids.add(Ids.toLongs(id)));
      asked.add(context.call(worker, SERVICE, ids, DEADLINE));
    }
    try {
      var unused = CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])).join();
    } catch (CompletionException e) {
      LOG.info("not all holders of lost entries have answered; they are asked again", e);
      return;
    }
    for (Map.Entry<RRefId, ForkId> kept : Map.copyOf(keepers).entrySet()) {
      Reply reply = registry.submit(kept.getKey(), new Release(kept.getValue())).join();
      if (reply.state() == State.GONE) {
        hints.gone(kept.getKey(), context.self());
      }
      keepers.remove(kept.getKey());
    }
  }

  /** Enters the forks that this worker holds of some RRefs; returns the stage of that. */
  private CompletableFuture<?> restore(List<@Nullable Object> arguments) {
    Set<RRefId> ids = new HashSet<>();
    arguments.forEach(argument -> ids.add(Ids.ofLongs(argument)));
    List<CompletableFuture<?>> restored = new ArrayList<>();
    for (Handle handle : handles.all()) {
      if (ids.contains(handle.id())) {
        restored.add(restore(handle));
      }
    }
    return CompletableFuture.allOf(restored.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<?> restore(Handle handle) {
    return registry
        .submit(handle.id(), new Restore(handle.fork(), context.self().id(), handle.owner().id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                handle.fail(RegistryMap.refused(handle.id(), handle.owner(), reply));
              }
            });
  }
}
