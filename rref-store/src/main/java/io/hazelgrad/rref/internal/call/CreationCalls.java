package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The creator's side of {@code remote}: sends the call that makes the object, and learns how it
 * ended. If the creator does not know the outcome, the registry decides. Threads: safe.
 */
public final class CreationCalls {
  private final GridContext context;
  private final HandleTable handles;
  private final RegistryMap registry;
  private final CallScopes scopes;
  private final BackgroundRunner background;
  private final AwaitedCreations awaited = new AwaitedCreations();

  public CreationCalls(
      GridContext context, HandleTable handles, RegistryMap registry, CallScopes scopes) {
    this.context = context;
    this.handles = handles;
    this.registry = registry;
    this.scopes = scopes;
    this.background = new BackgroundRunner(context);
  }

  /** Calls a function on a worker and returns the handle of its result, which stays there. */
  public RRefHandle create(
      Worker to,
      Function<?> function,
      List<@Nullable Object> arguments,
      Duration deadline,
      @Nullable Durability durability) {
    RRefHandle handle = handles.creator(to, durability != null);
    CreationAttachment creation = new CreationAttachment(handle, durability, awaited.isNext());
    handle.pin();
    try {
      var unused =
          context.call(
              to,
              function,
              arguments,
              deadline,
              message -> {
                message.attach(CreationAttachment.class, creation);
                message.mode(Outgoing.Mode.REMOTE);
              });
    } catch (Throwable e) {
      notSent(creation);
      throw e;
    }
    scopes.add(handle);
    return handle;
  }

  /** Notes that somebody waits for a creation, and so perhaps for the next ones. */
  void await() {
    awaited.asked();
  }

  /** Handles the end of a request that creates an object. */
  void over(Outgoing message, @Nullable GridException failure) {
    CreationAttachment creation = message.attachment(CreationAttachment.class);
    if (creation == null || !creation.end()) {
      return;
    }
    RRefHandle handle = creation.handle();
    if (failure == null) {
      handle.creation().complete(null);
      handle.unpin();
    } else if (!creation.departed().get()) {
      handles.forget(handle);
    } else {
      notCreated(handle, failure);
    }
  }

  /** Tells the registry that the creation failed here, unless the owner has said otherwise. */
  private void notCreated(RRefHandle handle, GridException failure) {
    boolean gaveUp = failure.status() == Status.TIMEOUT || failure.status() == Status.CANCELLED;
    RRefState outcome = gaveUp ? RRefState.TIMED_OUT : RRefState.FAILED;
    RRefId id = handle.id();
    Worker owner = handle.owner();
    long self = context.self().id();
    var unused =
        registry
            .submit(id, new Command.Resolve(owner.id(), outcome, null, handle.fork(), self))
            .whenCompleteAsync(
                (reply, thrown) -> {
                  if (thrown == null && !reply.isOk() && reply.state().isLive()) {
                    handle.creation().complete(null); // The owner was first.
                  } else {
                    GridException reason =
                        gaveUp ? timedOut(id, owner, failure) : lost(id, owner, failure);
                    handle.creation().completeExceptionally(reason);
                  }
                  handle.unpin();
                },
                background);
  }

  /** Ends a creation whose call failed before its caller got a handle. */
  private void notSent(CreationAttachment creation) {
    if (creation.end()) {
      handles.forget(creation.handle());
    } else {
      creation.handle().close();
    }
  }

  static GridException timedOut(RRefId id, Worker owner, GridException failure) {
    return new GridException(
        Status.RREF_TIMED_OUT,
        "the creation of %s on worker %s timed out: %s"
            .formatted(id, owner.name(), failure.getMessage()),
        true,
        failure.remote(),
        failure);
  }

  /** Returns RREF_LOST if a call says that the owner was lost, and the failure itself if not. */
  static GridException lost(RRefId id, Worker owner, GridException failure) {
    return failure.status() == Status.WORKER_LOST && failure.remote() == null
        ? RegistryMap.lost(id, owner, failure.mayHaveRun(), failure)
        : failure;
  }
}
