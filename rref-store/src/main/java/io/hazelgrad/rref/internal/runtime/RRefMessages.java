package io.hazelgrad.rref.internal.runtime;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.handle.CallHandles;
import io.hazelgrad.rref.internal.handle.HandleOrigin;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.IncomingForks;
import io.hazelgrad.rref.internal.handle.OutgoingForks;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.object.CreationAttachment;
import io.hazelgrad.rref.internal.object.CreationRequest;
import io.hazelgrad.rref.internal.object.Creations;
import io.hazelgrad.rref.internal.object.DereferenceMark;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What RRefs add to calls. In every message:
 *
 * <ul>
 *   <li>an RRef that leaves is pinned until the message is over, and goes with a fresh fork id;
 *   <li>in a request, the receiver claims its forks before its function starts; in a reply, the
 *       sender claims them for the caller before the reply leaves, since the caller is known;
 *   <li>a request may order an object ({@code remote}): the owner enters it in the registry, keeps
 *       the result instead of sending it, and tells the registry how it ended;
 *   <li>a request may need an object of this worker (a call through an RRef): the function starts
 *       when it is there.
 * </ul>
 */
public final class RRefMessages implements CallInterceptor {
  private static final int RREF_TAG = 100;
  private static final int DEREF_TAG = 101;
  private static final int HEADER = 1;

  private final RRefs home;
  private final GridContext context;
  private final HandleTable handles;
  private final ObjectWaits waits;
  private final Creations creations;
  private final DurableObjects durables;
  private final BackgroundRunner background;

  /** The calls of this worker that have not ended, by number. */
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  // One per grid: several grids may live in one JVM, and a thread may serve one and call another.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable CallHandles> scopes = new ThreadLocal<>();

  public RRefMessages(
      RRefs home,
      GridContext context,
      HandleTable handles,
      ObjectWaits waits,
      Creations creations,
      DurableObjects durables,
      BackgroundRunner background) {
    this.home = home;
    this.context = context;
    this.handles = handles;
    this.waits = waits;
    this.creations = creations;
    this.durables = durables;
    this.background = background;
  }

  /** Returns whether a fork may still come in the reply to a call that has not ended. */
  public boolean isAwaited(ForkId fork) {
    return fork.isInReply() && fork.issuer() == self().id() && open.contains(fork.sequence());
  }

  private Worker self() {
    return context.self();
  }

  /** Lets the call on this thread, if there is one, close a handle at its end. */
  public void enterScope(RRefHandle handle) {
    CallHandles scope = scopes.get();
    if (scope != null) {
      scope.add(handle);
    }
  }

  public ValueHook rrefs() {
    return new ValueHook() {
      @Override
      public int tag() {
        return RREF_TAG;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == RRef.class;
      }

      @Override
      public Class<?> type() {
        return RRef.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        try {
          leave(((RRef<?>) value).handle(), message, out);
        } finally {
          Reference.reachabilityFence(value); // Until its handle is pinned.
        }
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        return arrive(message, in);
      }
    };
  }

  public ValueHook derefs() {
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
    if (!handle.isOf(handles)) {
      handle.requireOpen(); // Of an incarnation that was lost, it says so.
      throw new GridException(
          Status.BAD_VALUE,
          handle.id() + " belongs to another grid of this JVM; send it from there");
    }
    try {
      handle.pin();
    } catch (GridException closed) {
      // A worker that leaves closes its handles; its callers are not to blame.
      throw message.isRequest() || context.ended() == null ? closed : creations.left();
    }
    OutgoingForks carried = message.attachment(OutgoingForks.class, OutgoingForks::new);
    ForkId child =
        message.isRequest()
            ? handles.newFork()
            : ForkId.inReply(
                message.call().id().caller(), message.call().id().sequence(), carried.size());
    carried.add(handle, child);
    handle.share();
    WireIds.write(handle.id(), out);
    WireIds.write(handle.owner(), out);
    WireIds.write(handle.fork(), out);
    WireIds.write(child, out);
    out.int8(handle.isDurable() ? 1 : 0);
  }

  private RRef<?> arrive(Incoming message, WireInput in) {
    RRefId id = WireIds.readRRefId(in);
    Worker owner = WireIds.readWorker(in);
    ForkId parent = WireIds.readForkId(in);
    HandleOrigin origin = HandleOrigin.received(message.call().function(), message.isRequest());
    ForkId child = WireIds.readForkId(in);
    RRefHandle handle = handles.received(id, owner, in.int8() != 0, child, origin);
    message.attachment(IncomingForks.class, IncomingForks::new).add(handle, parent);
    Outgoing request = message.request();
    CallHandles scope =
        request == null
            ? message.attachment(
                CallHandles.class, () -> new CallHandles(message.call().function()))
            : request.attachment(CallHandles.class);
    if (scope != null) {
      scope.add(handle);
    }
    return home.rref(handle);
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void departing(Outgoing message) {
    if (message.isRequest()) {
      open.add(message.call().id().sequence());
      CallHandles scope = scopes.get();
      if (scope != null) {
        message.attach(CallHandles.class, scope); // What the reply brings belongs to this call too.
      }
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    CreationAttachment creation = message.attachment(CreationAttachment.class);
    if (creation != null) {
      creation.depart();
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
    creations.ready(reply, stages);
    durables.ready(reply, stages);
    return stages.isEmpty() ? null : all(stages);
  }

  private void claim(Outgoing reply, List<CompletableFuture<?>> stages) {
    OutgoingForks carried = reply.attachment(OutgoingForks.class);
    if (carried == null) {
      return;
    }
    carried.markClaimed();
    for (OutgoingForks.Parent parent : carried.all()) {
      RRefHandle handle = parent.handle();
      long caller = reply.call().id().caller();
      stages.add(handles.claim(handle.id(), handle.owner(), handle.fork(), parent.child(), caller));
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
    CreationRequest ordered = message.attachment(CreationRequest.class);
    if (!message.isRequest() || (received == null && ordered == null)) {
      return null;
    }
    if (context.ended() != null) { // Its handles are closed and its objects dropped already.
      return CompletableFuture.failedFuture(creations.left());
    }
    List<CompletableFuture<?>> stages = new ArrayList<>();
    if (received != null) {
      for (IncomingForks.Child child : received.children()) {
        RRefHandle handle = child.handle();
        stages.add(
            handles.claim(handle.id(), handle.owner(), child.parent(), handle.fork(), self().id()));
      }
      stages.addAll(received.objects());
    }
    if (ordered == null) {
      return all(stages);
    }
    CompletableFuture<?> begun = creations.begin(ordered, message.call().caller());
    if (begun != null) {
      stages.add(begun);
    }
    return stages.isEmpty() ? null : refusing(ordered, all(stages));
  }

  /** What ends a wait before the function began is why its object was not made. */
  private static CompletableFuture<?> refusing(
      CreationRequest ordered, CompletableFuture<?> stages) {
    return stages.whenComplete(
        (nothing, failure) -> {
          if (failure != null && Causes.of(failure) instanceof GridException known) {
            ordered.refuse(known);
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
    CallHandles outer = scopes.get();
    CallHandles scope =
        request.attachment(CallHandles.class, () -> new CallHandles(request.call().function()));
    scopes.set(scope);
    return () -> {
      if (outer == null) {
        scopes.remove();
      } else {
        scopes.set(outer);
      }
    };
  }

  @Override
  public void ended(Incoming request) {
    CallHandles scope = request.attachment(CallHandles.class);
    if (scope != null) {
      scope.end();
    }
    IncomingForks received = request.attachment(IncomingForks.class);
    if (received != null) {
      received.endUses(background);
    }
    durables.end(request);
    creations.ended(request);
  }

  @Override
  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    return creations.returned(request, result);
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    durables.threw(request);
    return creations.threw(request, failure);
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    if (message.isRequest()) {
      open.remove(message.call().id().sequence());
    }
    OutgoingForks carried = message.attachment(OutgoingForks.class);
    if (carried != null) {
      over(carried, !message.isRequest() && failure != null);
    }
    creations.over(message, failure);
  }

  private void over(OutgoingForks carried, boolean isUnsentReply) {
    for (OutgoingForks.Parent parent : carried.all()) {
      RRefHandle handle = parent.handle();
      if (isUnsentReply && carried.isClaimed()) { // In the name of a caller who will never know.
        var unused = handles.release(handle.id(), handle.owner(), parent.child());
      }
      handle.unpin();
    }
  }

  @Override
  public void dropped(Incoming message) {
    IncomingForks received = message.attachment(IncomingForks.class);
    if (received != null) {
      received.children().forEach(child -> child.handle().close());
      received.endWaits(waits);
    }
    creations.dropped(message);
  }

  /** Answers {@code toHere()} of another worker, by a stage: when the object is there. */
  public CompletableFuture<?> fetch(List<@Nullable Object> arguments, Incoming request) {
    return whenThere(arguments, value -> value);
  }

  /** Answers {@code type()} of another worker, by a stage: when the object is there. */
  public CompletableFuture<?> type(List<@Nullable Object> arguments, Incoming request) {
    return whenThere(arguments, RRefMessages::typeOf);
  }

  public static @Nullable String typeOf(@Nullable Object value) {
    return value == null ? null : value.getClass().getName();
  }

  private CompletableFuture<?> whenThere(
      List<@Nullable Object> arguments, UnaryOperator<@Nullable Object> asked) {
    OwnedObject object = waits.begin(WireIds.ofLongs(arguments.get(0)));
    // A future of its own: the grid cancels it at the deadline, and the object may be made later.
    CompletableFuture<?> found = object.value().thenApply(asked);
    var unused = found.whenComplete((value, failure) -> waits.end(object));
    return found;
  }

  private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]));
  }
}
