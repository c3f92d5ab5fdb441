package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.object.DurableObject;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives durable objects whose owner is lost a new owner. The worker on whose member the entry lies
 * tries first. If it lacks the class or the room, it asks the other workers. The adopting worker
 *
 * <ol>
 *   <li>takes the stored value for the next epoch, so that the previous owner stores no more;
 *   <li>makes the object from the value; no call can use it yet;
 *   <li>sends Adopt to the registry. If it was the first, it owns the object and calls can use it.
 *       If another worker was first, it drops the object. If the reply is lost, it gives it up.
 * </ol>
 *
 * <p>Threads: safe. Only reading the value occupies a thread, in the background.
 */
public final class OwnershipTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(OwnershipTransfer.class);
  private static final String SERVICE = "rref.adopt";
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** The time for storing and offering objects that no call uses any more. */
  private static final Duration STORING = Duration.ofSeconds(5);

  /** The most adoptions of one round that are under way at a time. */
  private static final int MOST_UNDER_WAY = 64;

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final DurableObjects durables;
  private final BackgroundRunner background;
  private final Duration handOverWait;
  private final AtomicLong adopted = new AtomicLong();
  private final Map<RRefId, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  /**
   * Creates the transfer and its service.
   *
   * @param handOverWait see {@link io.hazelgrad.rref.RRefOptions#handOverWait}
   */
  public OwnershipTransfer(
      GridContext context,
      RegistryMap registry,
      OwnedObjects objects,
      DurableObjects durables,
      Duration handOverWait) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.durables = durables;
    this.handOverWait = handOverWait;
    this.background = new BackgroundRunner(context);
    context.asyncHandler(
        SERVICE, (arguments, request) -> adopt(WireIds.rrefOfLongs(arguments.get(0))));
    context.gauge("rref.adopted", adopted::get);
  }

  /** Finds owners for objects that have none, and waits. */
  public void adoptAll(Collection<RRefId> orphans) {
    Iterator<RRefId> left = orphans.iterator();
    while (left.hasNext() && context.ended() == null) {
      List<CompletableFuture<?>> some = new ArrayList<>();
      while (left.hasNext() && some.size() < MOST_UNDER_WAY) {
        some.add(findOwner(left.next()));
      }
      CompletableFuture.allOf(some.toArray(new CompletableFuture<?>[0])).join();
    }
  }

  /** Adopts an object here or lets another worker do it. The future does not fail. */
  private CompletableFuture<Boolean> findOwner(RRefId id) {
    return adopt(id)
        .exceptionallyComposeAsync(
            failure -> {
              String reason = failure.toString();
              LOG.info("{} cannot be adopted here, so other workers are asked: {}", id, reason);
              return offer(id);
            },
            background);
  }

  /** Asks the other workers one by one in random order; false if no worker adopted the object. */
  CompletableFuture<Boolean> offer(RRefId id) {
    List<Worker> others = new ArrayList<>(context.directory().living().values());
    others.removeIf(
        worker -> worker.id() == context.self().id() || context.directory().hasLeft(worker.id()));
    Collections.shuffle(others);
    return offer(id, others.iterator());
  }

  private CompletableFuture<Boolean> offer(RRefId id, Iterator<Worker> others) {
    if (!others.hasNext()) {
      LOG.warn("no worker can adopt {} now; the next round tries again", id);
      return CompletableFuture.completedFuture(false);
    }
    return context
        .<Boolean>tryCall(others.next(), SERVICE, List.of(WireIds.toLongs(id)), DEADLINE)
        .exceptionallyComposeAsync(failure -> offer(id, others), background);
  }

  /** Adopts an object if it has no owner; the result tells whether it has one now. */
  private CompletableFuture<Boolean> adopt(RRefId id) {
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    CompletableFuture<Boolean> running = underWay.putIfAbsent(id, mine);
    if (running != null) { // Another worker asks while a round of this one adopts it.
      return running.copy();
    }
    var unused =
        begin(id)
            .whenComplete(
                (owned, failure) -> {
                  underWay.remove(id);
                  if (failure == null) {
                    mine.complete(owned);
                  } else {
                    mine.completeExceptionally(failure);
                  }
                });
    return mine.copy();
  }

  private CompletableFuture<Boolean> begin(RRefId id) {
    GridException ended = context.ended();
    if (ended != null) {
      return CompletableFuture.failedFuture(ended);
    }
    return registry
        .entry(id)
        .thenCompose(
            entry -> {
              if (entry.state() != RRefState.ORPHANED) {
                return CompletableFuture.completedFuture(entry.state() == RRefState.READY);
              }
              int epoch = entry.epoch();
              CompletableFuture<@Nullable StoredValue> taken =
                  durables.values().take(id, epoch + 1);
              return taken.thenComposeAsync(stored -> adopt(id, epoch, stored), background);
            });
  }

  private CompletableFuture<Boolean> adopt(RRefId id, int epoch, @Nullable StoredValue stored) {
    if (stored == null) {
      LOG.warn("no value of {} is stored, so it is lost with its owner", id);
      return registry.submit(id, new Command.ValueLost(epoch)).thenApply(reply -> false);
    }
    if (stored.epoch() > epoch + 1) { // Another worker has adopted it.
      return CompletableFuture.completedFuture(true);
    }
    Object value = context.fromBytes(stored.bytes());
    objects.drop(id, OwnedObject.moved(id)); // A leftover from when this worker owned it.
    objects.limits().takeObject();
    OwnedObject object = objects.create(id);
    object.markEntered();
    return registry
        .submit(id, new Command.Adopt(epoch, context.self().id()))
        .handleAsync(
            (reply, failure) -> {
              boolean accepted = reply != null && reply.isOk();
              if (accepted && context.ended() == null) {
                own(object, value, epoch + 1, stored.durability());
                return true;
              }
              objects.drop(id, OwnedObject.moved(id));
              if (accepted || failure != null) { // The registry may list this worker.
                var unused = giveUp(id);
              }
              return reply != null;
            },
            background);
  }

  private void own(OwnedObject object, @Nullable Object value, int epoch, Durability durability) {
    RRefId id = object.id();
    try {
      durables.keepNext(object, value, epoch, durability);
      object.set(value, List.of());
    } catch (GridException noRoom) {
      objects.drop(id, OwnedObject.moved(id));
      var unused = giveUp(id);
      throw noRoom;
    }
    adopted.incrementAndGet();
    LOG.info("{} has lost its owner; this worker is its owner number {}", id, epoch);
  }

  /** Lets other workers adopt an object that this worker owned or may have owned. */
  CompletableFuture<CommandReply> giveUp(RRefId id) {
    return registry.submit(id, new Command.OwnerLost(context.self().id()));
  }

  // ---- Leaving ----

  /**
   * Hands all durable objects over to other workers: waits for the calls that use them, stores
   * them, and offers them. An object that takes too long is given up with its last stored value. An
   * object that is made meanwhile is handed over, too.
   */
  public void handOver() {
    if (!context.hazelcast().getLifecycleService().isRunning()) {
      return; // The member went down first, as in a crash.
    }
    long end = System.nanoTime() + handOverWait.plus(STORING).toNanos();
    try {
      for (List<DurableObject> left = durables.all(); !left.isEmpty(); left = durables.all()) {
        CompletableFuture.allOf(
                left.stream().map(this::handOver).toArray(CompletableFuture<?>[]::new))
            .get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.info(
          "not all durable objects were handed over; other workers adopt them: {}", e.toString());
    }
  }

  private CompletableFuture<?> handOver(DurableObject durable) {
    RRefId id = durable.id();
    return durable
        .awaitUnused()
        .copy()
        .orTimeout(handOverWait.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              LOG.warn(
                  "a call still uses {} after handOverWait={}; what it changes now is lost",
                  id,
                  handOverWait);
              return null;
            })
        .thenComposeAsync(nothing -> durable.checkpoint(), background)
        .exceptionally(
            failure -> {
              LOG.warn("{} is handed over with its last stored value: {}", id, failure.toString());
              return null;
            })
        .thenCompose(nothing -> giveUp(id))
        .thenComposeAsync(reply -> handOver(durable, reply), background);
  }

  private CompletableFuture<?> handOver(DurableObject durable, CommandReply gaveUp) {
    RRefId id = durable.id();
    objects.drop(id, OwnedObject.moved(id));
    return gaveUp.state() == RRefState.ORPHANED
        ? offer(id)
        : durables.values().remove(id, durable.epoch()); // It was never shared, or has ended.
  }
}
