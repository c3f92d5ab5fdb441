package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.ContainedRRefs;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.DurableObject;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner's side of {@code remote}: enters the object in the registry while its function runs,
 * keeps the result, and tells the registry the outcome. {@link RRefMessages} calls it at each step
 * of a request, and when the first handle of a local object is sent. Threads: safe.
 */
public final class OwnerCreations {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerCreations.class);

  private final GridContext context;
  private final OwnedObjects objects;
  private final RegistryMap registry;
  private final DurableObjects durables;
  private final BackgroundRunner background;

  public OwnerCreations(
      GridContext context, OwnedObjects objects, RegistryMap registry, DurableObjects durables) {
    this.context = context;
    this.durables = durables;
    this.objects = objects;
    this.registry = registry;
    this.background = new BackgroundRunner(context);
  }

  private Worker self() {
    return context.self();
  }

  /** Returns the error for calls to a worker that is leaving. */
  GridException left() {
    return new GridException(
        Status.WORKER_LOST,
        "worker %s (id %s) leaves the grid".formatted(self().name(), self().id()));
  }

  /**
   * Enters an object in the registry before its function starts. Only the reply waits for the
   * entry. If the registry refuses the entry, the object is dropped.
   *
   * @return a future for which the function must wait, or null. The function of a durable object
   *     waits, because a stored value must have an entry
   */
  @Nullable CompletableFuture<?> begin(CreationRequest creation, Worker creator) {
    RRefId id = creation.id;
    try {
      objects.limits().takeObject();
    } catch (GridException full) {
      return CompletableFuture.failedFuture(full);
    }
    OwnedObject begun = objects.create(id);
    CompletableFuture<?> entered =
        registry
            .submit(
                id,
                new Command.Create(self().id(), creation.fork, creator.id()),
                creation.isAwaited())
            .thenAccept(
                reply -> {
                  if (!reply.isOk()) {
                    throw registry.refused(id, self(), reply);
                  }
                  begun.markEntered();
                  if (context.ended() != null) { // Its objects may be dropped already.
                    throw left();
                  }
                });
    creation.accept(begun, entered);
    var unused =
        entered.whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                // A call that waits for an object of a leaving worker ends with RREF_LOST.
                GridException reason = CreationCalls.lost(id, self(), notEntered(id, failure));
                background.execute(() -> objects.drop(id, reason));
              }
            });
    return creation.durability == null ? null : entered;
  }

  private static GridException notEntered(RRefId id, Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof GridException known
        ? known
        : failed(id + " could not be entered in the registry: " + cause, cause);
  }

  private static GridException failed(String message, Throwable cause) {
    return new GridException(Status.RREF_FAILED, message, true, null, cause);
  }

  /** Enters a local object in the registry. */
  CompletableFuture<?> enterLocal(RRefHandle handle) {
    OwnedObject object = objects.find(handle.id());
    if (object == null) { // This worker is leaving and has dropped it.
      return CompletableFuture.completedFuture(null);
    }
    DurableObject durable = object.durable();
    if (durable == null) {
      return enterLocal(handle, object, Entry.NOT_DURABLE);
    }
    return durable
        .checkpoint()
        .thenApply(nothing -> durable.epoch())
        .exceptionally(
            failure -> {
              LOG.warn(
                  "{} was sent to another worker but could not be stored, so it is not durable",
                  handle.id(),
                  failure);
              return Entry.NOT_DURABLE;
            })
        .thenCompose(epoch -> enterLocal(handle, object, epoch));
  }

  private CompletableFuture<?> enterLocal(RRefHandle handle, OwnedObject object, int epoch) {
    long self = self().id();
    return registry.submit(
        handle.id(),
        new Command.Resolve(self, RRefState.READY, object.type(), handle.fork(), self, epoch));
  }

  /** Fails an object whose request ended without an outcome, so that nobody waits for it. */
  void ended(Incoming request) {
    CreationRequest creation = CreationRequest.begun(request);
    if (creation != null && !creation.object().value().isDone()) {
      creation.refuse(
          new GridException(
              Status.INTERNAL, request.call().function() + " failed inside Hazelgrad"));
      notMade(creation);
    }
  }

  /** Keeps the result of a request that creates an object; returns any other result. */
  @Nullable Object returned(Incoming request, @Nullable Object result) {
    CreationRequest creation = CreationRequest.begun(request);
    if (creation == null) {
      return result;
    }
    OwnedObject object = creation.object();
    List<RRefHandle> contained = new ArrayList<>();
    ContainedRRefs.in(result, rref -> contained.add(((RRefImpl<?>) rref).handle()));
    Durability durability = creation.durability;
    try {
      if (durability == null) {
        object.set(result, contained);
        resolve(creation, RRefState.READY, OwnedObject.typeOf(result));
      } else {
        creation.storing(store(creation, object, result, durability));
      }
    } catch (GridException refused) {
      object.fail(refused);
      object.discard(result);
      resolve(creation, RRefState.FAILED, null);
    }
    return null;
  }

  /**
   * Sets a durable object and tells the registry when its first checkpoint is stored. A durable
   * object that is READY in the registry therefore always has a stored value.
   *
   * @return a future that fails if the value could not be stored, if the object was lost before the
   *     registry knew of the value, or if the registry did not answer
   */
  private CompletableFuture<?> store(
      CreationRequest creation,
      OwnedObject object,
      @Nullable Object result,
      Durability durability) {
    RRefId id = object.id();
    DurableObject kept = durables.keepFirst(object, result, durability);
    kept.awaitEntry();
    object.set(result, List.of());
    String type = OwnedObject.typeOf(result);
    int epoch = kept.epoch();
    return kept.store()
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                kept.entered(failure);
                String message = id + " is durable but could not be stored: " + failure;
                background.execute(() -> objects.drop(id, failed(message, failure)));
                resolve(creation, RRefState.FAILED, null);
              }
            })
        .thenCompose(
            nothing ->
                resolve(
                    id, new Command.Resolve(self().id(), RRefState.READY, type, null, 0, epoch)))
        .whenComplete((reply, failure) -> kept.entered(lost(id, reply)))
        .thenAccept(
            reply -> {
              GridException lost = lost(id, reply);
              if (lost != null) {
                throw lost;
              }
            });
  }

  /** Returns the error of an object that the registry has given up, and null for another reply. */
  private @Nullable GridException lost(RRefId id, @Nullable CommandReply reply) {
    return reply != null && reply.state() == RRefState.LOST
        ? registry.refused(id, self(), reply)
        : null;
  }

  /** Adds the stages that must end before the creator learns that its object is made. */
  void ready(Incoming request, List<CompletableFuture<?>> stages) {
    CreationRequest creation = request.attachment(CreationRequest.class);
    if (creation != null) {
      stages.addAll(creation.stages());
    }
  }

  /** Fails the object of a request that creates one; returns whether the function itself threw. */
  boolean threw(Incoming request, GridException failure) {
    CreationRequest creation = CreationRequest.begun(request);
    if (creation == null) {
      return false;
    }
    boolean itself = failure.remote() != null;
    if (itself) {
      creation.object().fail(failure);
      resolve(creation, RRefState.FAILED, null);
    } else {
      creation.refuse(failure);
      notMade(creation);
    }
    return itself;
  }

  /** Fails the object of a request that will not run. */
  void dropped(Incoming message) {
    CreationRequest creation = CreationRequest.begun(message);
    if (creation != null) {
      notMade(creation);
    }
  }

  private void notMade(CreationRequest creation) {
    GridException failure = creation.failure();
    boolean tooLate = failure.status() == Status.TIMEOUT;
    GridException reason =
        tooLate
            ? CreationCalls.timedOut(creation.id, self(), failure)
            : ofThis(creation.id, failure);
    creation.object().fail(reason);
    resolve(creation, tooLate ? RRefState.TIMED_OUT : RRefState.FAILED, null);
  }

  /** Wraps an error of another reference, which came as an argument, into one of this object. */
  private static GridException ofThis(RRefId id, GridException failure) {
    return failure.status().name().startsWith("RREF_")
        ? new GridException(
            Status.RREF_FAILED,
            id + " was not made: " + failure.getMessage(),
            failure.mayHaveRun(),
            failure.remote(),
            failure)
        : failure;
  }

  /** Tells the registry the outcome; if it knows another outcome, the object is dropped. */
  private void resolve(CreationRequest creation, RRefState outcome, @Nullable String type) {
    Command.Resolve ended = new Command.Resolve(self().id(), outcome, type, null, 0);
    var unused = creation.entered().thenCompose(nothing -> resolve(creation.id, ended));
  }

  private CompletableFuture<CommandReply> resolve(RRefId id, Command.Resolve outcome) {
    return registry
        .submit(id, outcome)
        .whenComplete(
            (reply, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "the outcome {} of {} did not reach the registry; reconciliation will send it",
                    outcome.outcome(),
                    id,
                    failure);
              } else if (!reply.isOk()
                  && reply.state() != RRefState.ABSENT
                  && reply.state() != RRefState.EXPECTED) { // Reconciliation restores a lost entry.
                boolean lives =
                    reply.state() == RRefState.READY || reply.state() == RRefState.ORPHANED;
                GridException reason =
                    lives && outcome.epoch() > 0
                        ? OwnedObject.moved(id)
                        : registry.refused(id, self(), reply);
                background.execute(() -> objects.drop(id, reason));
              }
            });
  }
}
