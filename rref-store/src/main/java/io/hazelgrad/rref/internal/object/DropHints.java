package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.registry.CommandBatches;
import io.hazelgrad.rref.internal.registry.CommandProcessor;
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
public final class DropHints implements CommandProcessor.EndListener {
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
          var unused = dropHere(arguments.stream().map(WireIds::rrefOfLongs).toList());
          return null;
        });
    context.onLost(hints::remove);
    if (!context.isClient()) {
      Map<String, Object> here = context.hazelcast().getUserContext();
      here.put(KEY, this);
      context.onClose(() -> here.remove(KEY, this));
    }
  }

  @Override
  public void endedHere(RRefId id) {
    if (objects.find(id) != null) {
      tell(context.self(), id);
    }
  }

  /** Called on any thread: the registry replied that the entry of an owner's object has ended. */
  public void ended(RRefId id, Worker owner) {
    if (!registry.isKeptBy(owner, id)) { // Otherwise it hears of the end on its own member.
      tell(owner, id);
    }
  }

  private void tell(Worker owner, RRefId id) {
    var unused = hints.computeIfAbsent(owner, this::hintsTo).submit(0, id, true);
  }

  /** Creates the queue of one owner; the replies of its batches mean nothing. */
  private CommandBatches<RRefId> hintsTo(Worker owner) {
    return new CommandBatches<>(
        1,
        Integer.MAX_VALUE,
        1,
        (one, ids) -> owner.id() == context.self().id() ? dropHere(ids) : send(owner, ids),
        Runnable::run);
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

  /** Drops in the background, since objects may have a close() of the user, which may take long. */
  private CompletableFuture<int[]> dropHere(List<RRefId> ids) {
    CompletableFuture<int[]> begun = new CompletableFuture<>();
    background.execute(
        () -> {
          begun.complete(new int[ids.size()]);
          ids.forEach(objects::drop);
        });
    return begun;
  }
}
