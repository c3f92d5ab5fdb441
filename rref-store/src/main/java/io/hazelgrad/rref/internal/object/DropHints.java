package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.registry.CommandBatches;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells owners that the last fork of an object was released, so that they drop it at once. This is
 * only a hint: an owner that misses it drops the object in the next round of reconciliation. Most
 * entries lie on the member of their owner, where no message is needed. Otherwise one message to
 * each owner is under way at a time, and later hints go with the next one. Threads: safe.
 */
public final class DropHints {
  /** The key of a member's hints in the user context of its Hazelcast instance. */
  public static final String KEY = "io.hazelgrad.rref.hints";

  private static final Logger LOG = LoggerFactory.getLogger(DropHints.class);
  private static final String SERVICE = "rref.drop";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final BackgroundRunner background;
  private final Map<Worker, CommandBatches<RRefId>> hints = new ConcurrentHashMap<>();

  public DropHints(GridContext context, RegistryMap registry, OwnedObjects objects) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.background = new BackgroundRunner(context);
    context.handler(
        SERVICE,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          drop(arguments.stream().map(WireIds::rrefOfLongs).toList());
          return null;
        });
    context.onLost(hints::remove);
    if (!context.isClient()) {
      Map<String, Object> here = context.hazelcast().getUserContext();
      here.put(KEY, this);
      context.onClose(() -> here.remove(KEY, this));
    }
  }

  /** Called on a partition thread: entries that this member keeps have ended. */
  public void endedHere(List<RRefId> ids) {
    drop(ids.stream().filter(id -> objects.find(id) != null).toList());
  }

  /** Called on any thread: the registry replied that the entry of an owner's object has ended. */
  public void ended(RRefId id, Worker owner) {
    if (registry.isKeptBy(owner, id)) {
      return; // It hears of the end on its own member.
    }
    if (owner.id() == context.self().id()) {
      drop(List.of(id));
    } else {
      var unused = hints.computeIfAbsent(owner, this::hintsTo).submit(0, id, true);
    }
  }

  /** Creates the queue of one owner; the replies of its batches mean nothing. */
  private CommandBatches<RRefId> hintsTo(Worker owner) {
    return new CommandBatches<>(
        1, Integer.MAX_VALUE, 1, (one, ids) -> send(owner, ids), Runnable::run);
  }

  /** Sends in the background, since this may be a Hazelcast thread. */
  private CompletableFuture<int[]> send(Worker owner, List<RRefId> ids) {
    return CompletableFuture.completedFuture(WireIds.toLongs(ids))
        .thenComposeAsync(
            arguments -> context.retrying(() -> context.call(owner, SERVICE, arguments, DEADLINE)),
            background)
        .handle(
            (nothing, failure) -> {
              if (failure != null) { // The owner has left with its objects, or this grid is closed.
                hints.remove(owner);
                LOG.debug(
                    "owner {} was not told of {} dropped objects",
                    owner.name(),
                    ids.size(),
                    failure);
              }
              return new int[ids.size()];
            });
  }

  /** Drops in the background, since objects may have a close() of the user. */
  private void drop(List<RRefId> ids) {
    if (!ids.isEmpty()) {
      background.execute(() -> ids.forEach(objects::drop));
    }
  }
}
