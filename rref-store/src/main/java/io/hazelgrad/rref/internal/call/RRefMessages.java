package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.DereferenceMark;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.handle.CallHandles;
import io.hazelgrad.rref.internal.handle.HandleOrigin;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.IncomingForks;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Adds remote references to the messages of calls:
 *
 * <ul>
 *   <li>The handle of an RRef that leaves is pinned until the message is over. The message carries
 *       a new fork id for the receiver.
 *   <li>The receiver of a request claims the new forks before its function starts. The sender of a
 *       reply claims them for the caller before the reply leaves.
 *   <li>A request may create an object ({@code remote}). The owner enters it in the registry, keeps
 *       the result instead of sending it, and tells the registry the outcome.
 *   <li>A request may need an object of this worker (a call through an RRef), which it waits for.
 * </ul>
 *
 * <p>Threads: safe.
 */
public final class RRefMessages implements CallInterceptor, ValueHook {
  /** The service by which a client asks, in each round, what it shall restore. */
  public static final String RESTORING = "rref.restoring";

  private static final MessageKind MAINTENANCE = MessageKind.service(RESTORING);
  private static final int RREF_TAG = 100;
  private static final int DEREF_TAG = 101;
  private static final int HEADER = 1;

  /** The most characters of a type that travels with a handle. */
  private static final int MAX_TYPE = 200;

  /** The handles that a message carries, each with the child fork that its receiver gets. */
  private static final class OutgoingForks {
    record Parent(RRefHandle handle, ForkId child) {}

    final List<Parent> parents = new ArrayList<>();

    /** True if the children of a reply are being claimed for the caller. */
    boolean claimed;
  }

  private final GridContext context;
  private final HandleTable handles;
  private final ObjectWaits waits;
  private final ObjectCalls calls;
  private final CreationCalls creationCalls;
  private final OwnerCreations ownerCreations;
  private final DurableObjects durables;
  private final CallScopes scopes;

  /** The numbers of the calls of this worker that have not ended. */
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  private final AtomicLong begun = new AtomicLong();

  public RRefMessages(
      GridContext context,
      HandleTable handles,
      ObjectWaits waits,
      ObjectCalls calls,
      CreationCalls creationCalls,
      OwnerCreations ownerCreations,
      DurableObjects durables,
      CallScopes scopes) {
    this.context = context;
    this.handles = handles;
    this.waits = waits;
    this.calls = calls;
    this.creationCalls = creationCalls;
    this.ownerCreations = ownerCreations;
    this.durables = durables;
    this.scopes = scopes;
  }

  /** Returns whether a fork may still come in the reply to a call that has not ended. */
  public boolean isAwaited(ForkId fork) {
    return fork.isInReply() && fork.issuer() == self().id() && open.contains(fork.sequence());
  }

  /** Returns the number of calls that could bring forks; -1 while a call has not ended. */
  public long callsThatEnded() {
    long count = begun.get(); // First: a call that begins after this is seen in the next round.
    return open.isEmpty() ? count : -1;
  }

  private Worker self() {
    return context.self();
  }

  @Override
  public int tag() {
    return RREF_TAG;
  }

  @Override
  public boolean owns(Class<?> type) {
    return type == RRefImpl.class;
  }

  @Override
  public Class<?> type() {
    return RRef.class;
  }

  @Override
  public void write(Object value, Outgoing message, WireOutput out) {
    try {
      leave(((RRefImpl<?>) value).handle(), message, out);
    } finally {
      Reference.reachabilityFence(value); // Keeps it reachable until its handle is pinned.
    }
  }

  /** Returns the hook for the mark of an object that a request needs. */
  public ValueHook dereferences() {
    return new ValueHook() {
      @Override
      public int tag() {
        return DEREF_TAG;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == DereferenceMark.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        WireIds.write(((DereferenceMark) value).id(), out);
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        if (!message.isRequest()) {
          throw in.damaged("only a request needs the object of a reference");
        }
        RRefId id = WireIds.readRRefId(in);
        message.attachment(IncomingForks.class, IncomingForks::new).need(id, waits);
        return new DereferenceMark(id);
      }
    };
  }

  private void leave(RRefHandle handle, Outgoing message, WireOutput out) {
    if (!handles.isOwn(handle)) {
      handle.requireOpen(); // Reports the loss of the incarnation that held the handle.
      throw new GridException(
          Status.BAD_VALUE,
          handle.id() + " belongs to another grid of this JVM; send it from there");
    }
    try {
      handle.pin();
    } catch (GridException closed) {
      // A worker that leaves closes its handles; its callers get an error that says so.
      throw message.isRequest() || context.ended() == null ? closed : ownerCreations.left();
    }
    OutgoingForks carried = message.attachment(OutgoingForks.class, OutgoingForks::new);
    ForkId child =
        message.isRequest()
            ? handles.newFork()
            : ForkId.inReply(
                message.call().id().caller(),
                message.call().id().sequence(),
                carried.parents.size());
    carried.parents.add(new OutgoingForks.Parent(handle, child));
    handle.share(ownerCreations::enterLocal);
    WireIds.write(handle.id(), out);
    WireIds.write(handle.owner(), out);
    WireIds.write(handle.fork(), out);
    WireIds.write(child, out);
    out.int8(handle.isDurable() ? 1 : 0);
    String type = calls.knownType(handle);
    out.utf(type == null || type.length() > MAX_TYPE ? "" : type);
  }

  @Override
  public Object read(Incoming message, WireInput in) {
    RRefId id = WireIds.readRRefId(in);
    Worker owner = WireIds.readWorker(in);
    ForkId parent = WireIds.readForkId(in);
    HandleOrigin origin = HandleOrigin.received(message.call().function(), message.isRequest());
    ForkId child = WireIds.readForkId(in);
    RRefHandle handle = handles.received(id, owner, in.int8() != 0, child, origin);
    String type = in.utf(Character.BYTES * 2 * MAX_TYPE);
    handle.learnType(type.isEmpty() ? null : type);
    message.attachment(IncomingForks.class, IncomingForks::new).add(handle, parent);
    Outgoing request = message.request();
    CallHandles scope =
        request == null ? handlesOf(message) : request.attachment(CallHandles.class);
    if (scope != null) {
      scope.add(handle);
    }
    return calls.rref(handle);
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void departing(Outgoing message) {
    if (message.isRequest()) {
      open.add(message.call().id().sequence());
      if (!message.call().kind().equals(MAINTENANCE)) {
        begun.incrementAndGet();
      }
      CallHandles scope = scopes.current();
      if (scope != null) {
        message.attach(CallHandles.class, scope); // It will close the handles of the reply, too.
      }
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    CreationAttachment creation = message.attachment(CreationAttachment.class);
    if (creation != null) {
      creation.departed().set(true);
      WireIds.write(creation.handle().id(), header);
      WireIds.write(creation.handle().fork(), header);
      Durability durability = creation.durability();
      header.int8(durability == null ? 0 : durability.toCode());
      header.int8(creation.isAwaited() ? 1 : 0);
    }
  }

  @Override
  public @Nullable CompletionStage<?> ready(Outgoing reply) {
    List<CompletableFuture<?>> stages = new ArrayList<>(0);
    claim(reply, stages);
    Incoming request = reply.inReplyTo();
    if (request != null) {
      ownerCreations.ready(request, stages);
      DurableObjects.checkpointUsed(request, stages);
    }
    return stages.isEmpty() ? null : all(stages);
  }

  private void claim(Outgoing reply, List<CompletableFuture<?>> stages) {
    OutgoingForks carried = reply.attachment(OutgoingForks.class);
    if (carried != null) {
      carried.claimed = true;
      long caller = reply.call().id().caller();
      for (OutgoingForks.Parent parent : carried.parents) {
        RRefHandle handle = parent.handle();
        stages.add(handles.claim(handle, handle.fork(), parent.child(), caller));
      }
    }
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (message.isRequest() && header != null) {
      RRefId id = WireIds.readRRefId(header);
      ForkId fork = WireIds.readForkId(header);
      int code = header.int8();
      Durability durability = code == 0 ? null : Durability.fromCode(code);
      boolean isAwaited = header.int8() != 0;
      message.attach(CreationRequest.class, new CreationRequest(id, fork, durability, isAwaited));
    }
  }

  @Override
  public @Nullable CompletionStage<?> arrived(Incoming message) {
    IncomingForks received = message.attachment(IncomingForks.class);
    CreationRequest creation = message.attachment(CreationRequest.class);
    if (!message.isRequest() || (received == null && creation == null)) {
      return null;
    }
    if (context.ended() != null) { // Its handles are closed and its objects dropped already.
      return CompletableFuture.failedFuture(ownerCreations.left());
    }
    List<CompletableFuture<?>> stages = new ArrayList<>();
    if (received != null) {
      for (IncomingForks.Child child : received.children()) {
        RRefHandle handle = child.handle();
        stages.add(handles.claim(handle, child.parent(), handle.fork(), self().id()));
      }
      received.needed().forEach(object -> stages.add(object.value()));
    }
    if (creation == null) {
      return all(stages);
    }
    CompletableFuture<?> begun = ownerCreations.begin(creation, message.call().caller());
    if (begun != null) {
      stages.add(begun);
    }
    return stages.isEmpty()
        ? null
        : all(stages)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null && Causes.of(failure) instanceof GridException known) {
                    creation.refuse(known);
                  }
                });
  }

  @Override
  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    IncomingForks received = request.attachment(IncomingForks.class);
    if (received != null) {
      durables.begin(request, received);
      arguments.replaceAll(
          argument ->
              argument instanceof DereferenceMark deref ? received.use(deref.id()) : argument);
      received.endWaits(waits);
    }
  }

  @Override
  public Scope enter(Incoming request) {
    return scopes.enter(handlesOf(request));
  }

  private static CallHandles handlesOf(Incoming request) {
    return request.attachment(CallHandles.class, () -> new CallHandles(request.call().function()));
  }

  @Override
  public void ended(Incoming request) {
    CallHandles scope = request.attachment(CallHandles.class);
    if (scope != null) {
      scope.end();
    }
    IncomingForks received = request.attachment(IncomingForks.class);
    if (received != null) {
      received.endUses(durables.background());
    }
    durables.end(request);
    ownerCreations.ended(request);
  }

  @Override
  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    return ownerCreations.returned(request, result);
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    durables.threw(request);
    return ownerCreations.threw(request, failure);
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    if (message.isRequest()) {
      open.remove(message.call().id().sequence());
    }
    OutgoingForks carried = message.attachment(OutgoingForks.class);
    if (carried != null) {
      boolean isUnsentReply = !message.isRequest() && failure != null;
      for (OutgoingForks.Parent parent : carried.parents) {
        RRefHandle handle = parent.handle();
        if (isUnsentReply && carried.claimed) { // The caller will never know of the fork.
          var unused = handles.release(handle.id(), handle.owner(), parent.child());
        }
        handle.unpin();
      }
    }
    creationCalls.over(message, failure);
  }

  @Override
  public void dropped(Incoming message) {
    IncomingForks received = message.attachment(IncomingForks.class);
    if (received != null) {
      received.children().forEach(child -> child.handle().close());
      received.endWaits(waits);
    }
    ownerCreations.dropped(message);
  }

  private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]));
  }
}
