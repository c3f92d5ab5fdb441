package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command.Adopt;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.Command.ValueLost;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.runtime.WireIds;
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
 * How a durable object whose owner is gone gets another one. The worker on whose member the entry
 * lies tries first; where it cannot, for want of the class or of room, it asks the others. Whoever
 * adopts
 *
 * <ol>
 *   <li>takes the stored value for the next epoch, so that the owner before cannot store any more;
 *   <li>makes the object of it, which nobody can use yet;
 *   <li>says Adopt. If that was first, the object is its own, and can be used. If another one was
 *       first, the object is forgotten. If the answer is lost it gives the object up again.
 * </ol>
 *
 * <p>Threads: safe. Nothing here holds a thread but making the value, which runs in the background.
 */
public final class OwnershipTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(OwnershipTransfer.class);
  private static final String SERVICE = "rref.adopt";
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** How many adoptions of one round are under way at a time. */
  private static final int AT_ONCE = 64;

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final DurableObjects durables;
  private final BackgroundRunner background;
  private final AtomicLong adopted = new AtomicLong();
  private final Map<RRefId, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

  public OwnershipTransfer(
      GridContext context,
      RegistryMap registry,
      OwnedObjects objects,
      DurableObjects durables,
      BackgroundRunner background) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.durables = durables;
    this.background = background;
    context.asyncHandler(SERVICE, (arguments, request) -> adopt(WireIds.ofLongs(arguments.get(0))));
    context.gauge("rref.adopted", adopted::get);
  }

  /** Finds owners for objects that have none; waits for that. */
  public void adoptAll(Collection<RRefId> orphans) {
    Iterator<RRefId> left = orphans.iterator();
    while (left.hasNext() && context.ended() == null) {
      List<CompletableFuture<?>> some = new ArrayList<>();
      while (left.hasNext() && some.size() < AT_ONCE) {
        some.add(findOwner(left.next()));
      }
      CompletableFuture.allOf(some.toArray(new CompletableFuture<?>[0])).join();
    }
  }

  /** Adopts an object here, or lets another worker do it. The future does not fail. */
  private CompletableFuture<Boolean> findOwner(RRefId id) {
    return adopt(id)
        .exceptionallyComposeAsync(
            failure -> {
              LOG.info("{} cannot be adopted here, others are asked: {}", id, failure.toString());
              return offer(id);
            },
            background);
  }

  /** Asks the other workers in turn, in any order; false if nobody took it. */
  CompletableFuture<Boolean> offer(RRefId id) {
    List<Worker> others = new ArrayList<>(context.living().values());
    others.removeIf(worker -> worker.id() == context.self().id() || context.hasLeft(worker.id()));
    Collections.shuffle(others);
    return offer(id, others.iterator());
  }

  private CompletableFuture<Boolean> offer(RRefId id, Iterator<Worker> others) {
    if (!others.hasNext()) {
      LOG.warn("nobody can adopt {} now; it is tried again in the next round", id);
      return CompletableFuture.completedFuture(false);
    }
    List<@Nullable Object> arguments = new ArrayList<>(1);
    arguments.add(WireIds.toLongs(id));
    CompletableFuture<Boolean> asked;
    try {
      asked = context.call(others.next(), SERVICE, arguments, DEADLINE);
    } catch (GridException e) { // It has left meanwhile.
      asked = CompletableFuture.failedFuture(e);
    }
    return asked.exceptionallyComposeAsync(failure -> offer(id, others), background);
  }

  /**
   * Adopts an object if it has no owner.
   *
   * @return whether it has an owner now, this worker or another; fails if this one cannot adopt it
   */
  private CompletableFuture<Boolean> adopt(RRefId id) {
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    CompletableFuture<Boolean> running = underWay.putIfAbsent(id, mine);
    if (running != null) { // Asked by another, while a round of this worker does it.
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
              return durables
                  .values()
                  .take(id, epoch + 1)
                  .thenComposeAsync(stored -> adopt(id, epoch, stored), background);
            });
  }

  private CompletableFuture<Boolean> adopt(RRefId id, int epoch, @Nullable StoredValue stored) {
    if (stored == null) {
      LOG.warn("nothing is stored of {}, which so is lost with its owner", id);
      return registry.submit(id, new ValueLost(epoch)).thenApply(reply -> false);
    }
    if (stored.epoch() > epoch + 1) { // Somebody was much faster.
      return CompletableFuture.completedFuture(true);
    }
    Object value = context.fromBytes(stored.bytes());
    objects.drop(id, DurableObject.moved(id)); // If this worker had it once, and was given up.
    objects.limits().takeObject();
    OwnedObject object = objects.create(id);
    object.markEntered();
    return registry
        .submit(id, new Adopt(epoch, context.self().id()))
        .handleAsync(
            (reply, failure) -> {
              boolean accepted = reply != null && reply.isOk();
              if (accepted && context.ended() == null) {
                own(object, value, epoch + 1, stored.durability());
                return true;
              }
              objects.drop(id, DurableObject.moved(id));
              if (accepted || failure != null) { // Perhaps it is this worker's, who has no use.
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
      objects.drop(id, DurableObject.moved(id));
      var unused = giveUp(id);
      throw noRoom;
    }
    adopted.incrementAndGet();
    LOG.info("{} has lost its owner; this worker is owner {} of it", id, epoch);
  }

  /** Lets others adopt an object that this worker had, or perhaps had. */
  CompletableFuture<CommandReply> giveUp(RRefId id) {
    return registry.submit(id, new OwnerLost(context.self().id()));
  }

  // ---- Leaving ----

  /**
   * Hands all durable objects over to other workers: lets the calls end that use them, stores them,
   * and offers them. What takes longer than a deadline is given up as it was stored last.
   */
  public void handOver(Duration patience) {
    if (!context.hazelcast().getLifecycleService().isRunning()) {
      return; // The member went down first; it is as if it had died.
    }
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (DurableObject durable : durables.all()) {
      all.add(handOver(durable, patience));
    }
    try {
      CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
          .get(2 * patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.info("not all durable objects were handed over; the others adopt them: {}", e.toString());
    }
  }

  private CompletableFuture<?> handOver(DurableObject durable, Duration patience) {
    RRefId id = durable.id();
    return durable
        .awaitUnused()
        .copy()
        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              LOG.warn("a call still uses {}; what it does from now on is lost", id);
              return null;
            })
        .thenComposeAsync(nothing -> durable.checkpoint(), background)
        .exceptionally(
            failure -> {
              LOG.warn("{} is handed over as it was stored last: {}", id, failure.toString());
              return null;
            })
        .thenCompose(nothing -> giveUp(id))
        .thenComposeAsync(reply -> handOver(durable, reply), background);
  }

  private CompletableFuture<?> handOver(DurableObject durable, CommandReply gaveUp) {
    RRefId id = durable.id();
    objects.drop(id, DurableObject.moved(id));
    return gaveUp.state() == RRefState.ORPHANED
        ? offer(id)
        : durables.values().remove(id, durable.epoch()); // It is not shared, or gone.
  }
}
