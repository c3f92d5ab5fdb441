package io.hazelgrad.rref;

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
final class RRefMessages implements CallInterceptor {
  private static final int RREF_TAG = 100;
  private static final int DEREF_TAG = 101;
  private static final int HEADER = 1;

  private final RRefs home;
  private final GridContext context;
  private final Handles handles;
  private final ObjectWaits waits;
  private final Creations creations;
  private final DurableObjects durables;
  private final Background background;

  /** The calls of this worker that have not ended, by number. */
  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  // One per grid: several grids may live in one JVM, and a thread may serve one and call another.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable CallScope> scopes = new ThreadLocal<>();

  RRefMessages(
      RRefs home,
      GridContext context,
      Handles handles,
      ObjectWaits waits,
      Creations creations,
      DurableObjects durables,
      Background background) {
    this.home = home;
    this.context = context;
    this.handles = handles;
    this.waits = waits;
    this.creations = creations;
    this.durables = durables;
    this.background = background;
  }

  /** Returns whether a fork may still come in the reply to a call that has not ended. */
  boolean isAwaited(ForkId fork) {
    return fork.isInReply() && fork.issuer() == self().id() && open.contains(fork.sequence());
  }

  private Worker self() {
    return context.self();
  }

  /** Lets the call on this thread, if there is one, close a handle at its end. */
  void enterScope(Handle handle) {
    CallScope scope = scopes.get();
    if (scope != null) {
      scope.add(handle);
    }
  }

  ValueHook rrefs() {
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

  ValueHook derefs() {
    return new ValueHook() {
      @Override
      public int tag() {
        return DEREF_TAG;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == Deref.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        Ids.write(((Deref) value).id(), out);
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        if (!message.isRequest()) {
          throw in.damaged("only a request needs the object of a reference");
        }
        RRefId id = Ids.readRRefId(in);
        message.attachment(Received.class, Received::new).need(id, waits);
        return new Deref(id);
      }
    };
  }

  private void leave(Handle handle, Outgoing message, WireOutput out) {
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
    Carried carried = message.attachment(Carried.class, Carried::new);
    ForkId child =
        message.isRequest()
            ? handles.newFork()
            : ForkId.inReply(
                message.call().id().caller(), message.call().id().sequence(), carried.size());
    carried.add(handle, child);
    handle.share();
    Ids.write(handle.id(), out);
    Ids.write(handle.owner(), out);
    Ids.write(handle.fork(), out);
    Ids.write(child, out);
    out.int8(handle.isDurable() ? 1 : 0);
  }

  private RRef<?> arrive(Incoming message, WireInput in) {
    RRefId id = Ids.readRRefId(in);
    Worker owner = Ids.readWorker(in);
    ForkId parent = Ids.readForkId(in);
    Origin origin = Origin.received(message.call().function(), message.isRequest());
    ForkId child = Ids.readForkId(in);
    Handle handle = handles.received(id, owner, in.int8() != 0, child, origin);
    message.attachment(Received.class, Received::new).add(handle, parent);
    Outgoing request = message.request();
    CallScope scope =
        request == null
            ? message.attachment(CallScope.class, () -> new CallScope(message.call().function()))
            : request.attachment(CallScope.class);
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
      CallScope scope = scopes.get();
      if (scope != null) {
        message.attach(CallScope.class, scope); // What the reply brings belongs to this call too.
      }
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    Creation creation = message.attachment(Creation.class);
    if (creation != null) {
      creation.depart();
      Ids.write(creation.handle().id(), header);
      Ids.write(creation.handle().fork(), header);
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
    Carried carried = reply.attachment(Carried.class);
    if (carried == null) {
      return;
    }
    carried.markClaimed();
    for (Carried.Parent parent : carried.all()) {
      Handle handle = parent.handle();
      long caller = reply.call().id().caller();
      stages.add(handles.claim(handle.id(), handle.owner(), handle.fork(), parent.child(), caller));
    }
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (message.isRequest() && header != null) {
      RRefId id = Ids.readRRefId(header);
      ForkId fork = Ids.readForkId(header);
      int code = header.int8();
      Durability durability = code == 0 ? null : Durability.fromCode(code);
      boolean isAwaited = header.int8() != 0;
      message.attach(Ordered.class, new Ordered(id, fork, durability, isAwaited));
    }
  }

  @Override
  public @Nullable CompletionStage<?> arrived(Incoming message) {
    Received received = message.attachment(Received.class);
    Ordered ordered = message.attachment(Ordered.class);
    if (!message.isRequest() || (received == null && ordered == null)) {
      return null;
    }
    if (context.ended() != null) { // Its handles are closed and its objects dropped already.
      return CompletableFuture.failedFuture(creations.left());
    }
    List<CompletableFuture<?>> stages = new ArrayList<>();
    if (received != null) {
      for (Received.Child child : received.children()) {
        Handle handle = child.handle();
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
  private static CompletableFuture<?> refusing(Ordered ordered, CompletableFuture<?> stages) {
    return stages.whenComplete(
        (nothing, failure) -> {
          if (failure != null && Causes.of(failure) instanceof GridException known) {
            ordered.refuse(known);
          }
        });
  }

  @Override
  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    Received received = request.attachment(Received.class);
    if (received != null) {
      durables.begin(request, received);
      arguments.replaceAll(
          argument -> argument instanceof Deref deref ? received.use(deref.id()) : argument);
      received.endWaits(waits);
    }
  }

  @Override
  public Scope enter(Incoming request) {
    CallScope outer = scopes.get();
    CallScope scope =
        request.attachment(CallScope.class, () -> new CallScope(request.call().function()));
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
    CallScope scope = request.attachment(CallScope.class);
    if (scope != null) {
      scope.end();
    }
    Received received = request.attachment(Received.class);
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
    Carried carried = message.attachment(Carried.class);
    if (carried != null) {
      over(carried, !message.isRequest() && failure != null);
    }
    creations.over(message, failure);
  }

  private void over(Carried carried, boolean isUnsentReply) {
    for (Carried.Parent parent : carried.all()) {
      Handle handle = parent.handle();
      if (isUnsentReply && carried.isClaimed()) { // In the name of a caller who will never know.
        var unused = handles.release(handle.id(), handle.owner(), parent.child());
      }
      handle.unpin();
    }
  }

  @Override
  public void dropped(Incoming message) {
    Received received = message.attachment(Received.class);
    if (received != null) {
      received.children().forEach(child -> child.handle().close());
      received.endWaits(waits);
    }
    creations.dropped(message);
  }

  /** Answers {@code toHere()} of another worker, by a stage: when the object is there. */
  CompletableFuture<?> fetch(List<@Nullable Object> arguments, Incoming request) {
    return whenThere(arguments, value -> value);
  }

  /** Answers {@code type()} of another worker, by a stage: when the object is there. */
  CompletableFuture<?> type(List<@Nullable Object> arguments, Incoming request) {
    return whenThere(arguments, RRefMessages::typeOf);
  }

  static @Nullable String typeOf(@Nullable Object value) {
    return value == null ? null : value.getClass().getName();
  }

  private CompletableFuture<?> whenThere(
      List<@Nullable Object> arguments, UnaryOperator<@Nullable Object> asked) {
    OwnedObject object = waits.begin(Ids.ofLongs(arguments.get(0)));
    // A future of its own: the grid cancels it at the deadline, and the object may be made later.
    CompletableFuture<?> found = object.value().thenApply(asked);
    var unused = found.whenComplete((value, failure) -> waits.end(object));
    return found;
  }

  private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]));
  }
}
