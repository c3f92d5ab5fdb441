package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableObject;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.handle.ContainedRRefs;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.runtime.RRefMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making of objects by calls ({@code remote}). On the owner: enters the object in the registry
 * while it is made, keeps the result, and says how it ended. On the creator: learns the outcome,
 * and where it does not know it, lets the registry decide.
 *
 * <p>Threads: safe. {@link RRefMessages} calls this at the steps of each message.
 */
public final class Creations {
  private static final Logger LOG = LoggerFactory.getLogger(Creations.class);

  private final GridContext context;
  private final HandleTable handles;
  private final OwnedObjects objects;
  private final RegistryMap registry;
  private final DurableObjects durables;
  private final BackgroundRunner background;

  public Creations(
      GridContext context,
      HandleTable handles,
      OwnedObjects objects,
      RegistryMap registry,
      DurableObjects durables,
      BackgroundRunner background) {
    this.context = context;
    this.durables = durables;
    this.handles = handles;
    this.objects = objects;
    this.registry = registry;
    this.background = background;
  }

  private Worker self() {
    return context.self();
  }

  /** The error for those who ask a worker that is leaving. */
  public GridException left() {
    return new GridException(
        Status.WORKER_LOST,
        "worker " + self().name() + " (id " + self().id() + ") leaves the grid");
  }

  /**
   * The owner was asked for an object: enters it in the registry. The function need not wait for
   * that, only the reply does; what the registry refuses is dropped.
   *
   * @return what the function must wait for all the same, or null: what is stored of a durable
   *     object must have an entry
   */
  public @Nullable CompletableFuture<?> begin(CreationRequest ordered, Worker creator) {
    RRefId id = ordered.id();
    try {
      objects.limits().takeObject();
    } catch (GridException full) {
      return CompletableFuture.failedFuture(full);
    }
    OwnedObject begun = objects.create(id);
    CompletableFuture<?> entered =
        registry
            .submit(id, new Create(self().id(), ordered.fork(), creator.id()), ordered.isAwaited())
            .thenAccept(
                reply -> {
                  if (!reply.isOk()) {
                    throw registry.refused(id, self(), reply);
                  }
                  begun.markEntered();
                  if (context.ended() != null) { // And may have dropped its objects before.
                    throw left();
                  }
                });
    ordered.accept(begun, entered);
    var unused =
        entered.whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                background.execute(() -> objects.drop(id, notEntered(id, failure)));
              }
            });
    return ordered.durability() == null ? null : entered;
  }

  private static GridException notEntered(RRefId id, Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof GridException known
        ? known
        : new GridException(
            Status.RREF_FAILED,
            id + " could not be entered in the registry: " + cause,
            true,
            null,
            cause);
  }

  /** Whatever went wrong on the way, nobody shall wait for an object that nobody makes. */
  public void ended(Incoming request) {
    CreationRequest ordered = request.attachment(CreationRequest.class);
    OwnedObject object = ordered == null ? null : ordered.object();
    if (ordered != null && object != null && !object.value().isDone()) {
      ordered.refuse(
          new GridException(
              Status.INTERNAL, request.call().function() + " failed inside Hazelgrad"));
      notMade(ordered, object);
    }
  }

  /** Keeps the result of a function whose object was ordered; passes on any other. */
  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    CreationRequest ordered = request.attachment(CreationRequest.class);
    OwnedObject object = ordered == null ? null : ordered.object();
    if (ordered == null || object == null) {
      return result;
    }
    List<RRefHandle> contained = new ArrayList<>();
    ContainedRRefs.in(result, rref -> contained.add(rref.handle()));
    Durability durability = ordered.durability();
    try {
      if (durability == null) {
        object.set(result, contained);
        resolve(ordered, RRefState.READY, RRefMessages.typeOf(result));
      } else {
        ordered.storing(store(ordered, object, result, durability));
      }
    } catch (GridException refused) {
      object.fail(refused);
      object.letGoOf(result);
      resolve(ordered, RRefState.FAILED, null);
    }
    return null;
  }

  /**
   * Sets a durable object, and lets the registry know of it when its first checkpoint is stored:
   * what is READY there and durable so always has a value.
   */
  private CompletableFuture<?> store(
      CreationRequest ordered, OwnedObject object, @Nullable Object result, Durability durability) {
    RRefId id = object.id();
    DurableObject kept = durables.keepFirst(object, result, durability);
    object.set(result, List.of());
    String type = RRefMessages.typeOf(result);
    return kept.checkpoint()
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                background.execute(() -> objects.drop(id, notStored(id, failure)));
                resolve(ordered, RRefState.FAILED, null);
              }
            })
        .thenCompose(
            nothing ->
                resolve(
                    id, new Resolve(self().id(), RRefState.READY, type, null, 0, kept.epoch())));
  }

  private static GridException notStored(RRefId id, Throwable failure) {
    return new GridException(
        Status.RREF_FAILED,
        id + " is durable, and could not be stored: " + failure,
        true,
        null,
        failure);
  }

  /** Adds what must end before the creator may hear that its object is there. */
  public void ready(Outgoing reply, List<CompletableFuture<?>> stages) {
    Incoming request = reply.inReplyTo();
    CreationRequest ordered = request == null ? null : request.attachment(CreationRequest.class);
    if (ordered != null) {
      stages.addAll(ordered.stages());
    }
  }

  /** What the function itself threw is the object's; without that the object was not made. */
  public boolean threw(Incoming request, GridException failure) {
    CreationRequest ordered = request.attachment(CreationRequest.class);
    OwnedObject object = ordered == null ? null : ordered.object();
    if (ordered == null || object == null) {
      return false;
    }
    if (failure.remote() == null) {
      ordered.refuse(failure);
      notMade(ordered, object);
      return false;
    }
    object.fail(failure);
    resolve(ordered, RRefState.FAILED, null);
    return true;
  }

  /** The request of an ordered object will not be run. */
  public void dropped(Incoming message) {
    CreationRequest ordered = message.attachment(CreationRequest.class);
    OwnedObject begun = ordered == null ? null : ordered.object();
    if (ordered != null && begun != null) {
      notMade(ordered, begun);
    }
  }

  private void notMade(CreationRequest ordered, OwnedObject object) {
    GridException failure = ordered.failure();
    boolean tooLate = failure.status() == Status.TIMEOUT;
    object.fail(tooLate ? timedOut(ordered.id(), self(), failure) : ofThis(ordered.id(), failure));
    resolve(ordered, tooLate ? RRefState.TIMED_OUT : RRefState.FAILED, null);
  }

  /** What is wrong with another reference, which came as an argument, is not so with this one. */
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

  /** Tells the registry how the creation ended here; if it ended otherwise, the object goes. */
  private void resolve(CreationRequest ordered, RRefState outcome, @Nullable String type) {
    Resolve ended = new Resolve(self().id(), outcome, type, null, 0);
    var unused = ordered.entered().thenCompose(nothing -> resolve(ordered.id(), ended));
  }

  private CompletableFuture<?> resolve(RRefId id, Resolve outcome) {
    return registry
        .submit(id, outcome)
        .handle(
            (reply, failure) -> {
              if (failure != null) {
                LOG.debug("{} of {} is left to reconciliation", outcome.outcome(), id, failure);
              } else if (!reply.isOk()
                  && reply.state() != RRefState.ABSENT
                  && reply.state() != RRefState.EXPECTED) { // There, reconciliation makes it anew.
                boolean moved = reply.state() == RRefState.READY && outcome.epoch() > 0;
                GridException reason =
                    moved ? DurableObject.moved(id) : registry.refused(id, self(), reply);
                background.execute(() -> objects.drop(id, reason));
              }
              return null;
            });
  }

  /** The creator knows how its request ended. */
  public void over(Outgoing message, @Nullable GridException failure) {
    CreationAttachment creation = message.attachment(CreationAttachment.class);
    if (creation != null && creation.end()) {
      if (failure == null) {
        created(creation.handle());
      } else if (!creation.hasDeparted()) {
        handles.forget(creation.handle());
      } else {
        notCreated(creation.handle(), failure);
      }
    }
  }

  private static void created(RRefHandle handle) {
    handle.creation().complete(null);
    handle.unpin();
  }

  /** The caller does not know of an object; whether there is one, the registry decides. */
  private void notCreated(RRefHandle handle, GridException failure) {
    boolean gaveUp = failure.status() == Status.TIMEOUT || failure.status() == Status.CANCELLED;
    Command command =
        new Resolve(
            handle.owner().id(),
            gaveUp ? RRefState.TIMED_OUT : RRefState.FAILED,
            null,
            handle.fork(),
            self().id());
    var unused =
        registry
            .submit(handle.id(), command)
            .whenCompleteAsync(
                (reply, thrown) -> {
                  boolean ownerWasFirst = thrown == null && !reply.isOk() && reply.state().isLive();
                  if (ownerWasFirst) {
                    handle.creation().complete(null);
                  } else {
                    handle.creation().completeExceptionally(explained(handle, failure, gaveUp));
                  }
                  handle.unpin();
                },
                background);
  }

  private static GridException explained(RRefHandle handle, GridException failure, boolean gaveUp) {
    return gaveUp
        ? timedOut(handle.id(), handle.owner(), failure)
        : ObjectCalls.lost(handle.id(), handle.owner(), failure);
  }

  private static GridException timedOut(RRefId id, Worker owner, GridException failure) {
    return new GridException(
        Status.RREF_TIMED_OUT,
        "the creation of "
            + id
            + " on worker "
            + owner.name()
            + " timed out: "
            + failure.getMessage(),
        true,
        failure.remote(),
        failure);
  }

  /** A creation failed before its caller got a handle. */
  public void notSent(CreationAttachment creation) {
    if (creation.end()) {
      handles.forget(creation.handle());
    } else {
      creation.handle().close();
    }
  }
}
