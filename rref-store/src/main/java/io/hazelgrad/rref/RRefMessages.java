package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.Command.Create;
import io.hazelgrad.rref.Command.Resolve;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What RRefs add to calls. In every message:
 *
 * <ul>
 *   <li>an RRef that leaves is pinned until the message is over, and goes with a fresh fork id;
 *   <li>in a request, the receiver claims its forks before its function starts; in a reply, the
 *       sender claims them for the caller before the reply leaves, since the caller is known;
 *   <li>a request may order an object ({@code remote}): the owner asks the registry first, keeps the
 *       result instead of sending it, and tells the registry how it ended;
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
  private final OwnedObjects objects;
  private final RegistryMap registry;

  // One per grid: several grids may live in one JVM, and a thread may serve one and call another.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable CallScope> scopes = new ThreadLocal<>();

  RRefMessages(
      RRefs home,
      GridContext context,
      Handles handles,
      OwnedObjects objects,
      RegistryMap registry) {
    this.home = home;
    this.context = context;
    this.handles = handles;
    this.objects = objects;
    this.registry = registry;
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
      public void write(Object value, Outgoing message, WireOutput out) {
        leave(((RRef<?>) value).handle(), message, out);
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
        RRefId id = Ids.readRRefId(in);
        message.attachment(Received.class, Received::new).need(id);
        return new Deref(id);
      }
    };
  }

  private void leave(Handle handle, Outgoing message, WireOutput out) {
    if (!handle.isOf(handles)) {
      throw new GridException(
          Status.BAD_VALUE, handle.id() + " belongs to another grid of this JVM; send it from there");
    }
    handle.pin();
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
  }

  private RRef<?> arrive(Incoming message, WireInput in) {
    RRefId id = Ids.readRRefId(in);
    Worker owner = Ids.readWorker(in);
    ForkId parent = Ids.readForkId(in);
    Handle handle = handles.received(id, owner, Ids.readForkId(in));
    message.attachment(Received.class, Received::new).add(handle, parent);
    Outgoing request = message.request();
    CallScope scope =
        request == null
            ? message.attachment(
                CallScope.class, () -> new CallScope(message.call().function()))
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
    CallScope scope = scopes.get();
    if (message.isRequest() && scope != null) {
      message.attach(CallScope.class, scope); // What the reply brings belongs to this call too.
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    Creation creation = message.attachment(Creation.class);
    if (creation != null) {
      Ids.write(creation.handle().id(), header);
      Ids.write(creation.handle().fork(), header);
    }
  }

  @Override
  public @Nullable CompletionStage<?> ready(Outgoing reply) {
    Carried carried = reply.attachment(Carried.class);
    if (carried == null) {
      return null;
    }
    long caller = reply.call().id().caller();
    return all(
        carried.all().stream()
            .map(
                parent ->
                    handles.claim(
                        parent.handle().id(),
                        parent.handle().owner(),
                        parent.handle().fork(),
                        parent.child(),
                        caller))
            .toList());
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (message.isRequest() && header != null) {
      message.attach(
          Ordered.class, new Ordered(Ids.readRRefId(header), Ids.readForkId(header)));
    }
  }

  @Override
  public @Nullable CompletionStage<?> arrived(Incoming message) {
    if (!message.isRequest()) {
      return null;
    }
    List<CompletableFuture<?>> stages = new ArrayList<>();
    Received received = message.attachment(Received.class);
    if (received != null) {
      for (Received.Child child : received.children()) {
        Handle handle = child.handle();
        stages.add(
            handles.claim(
                handle.id(), handle.owner(), child.parent(), handle.fork(), self().id()));
      }
      received.needed().forEach(id -> stages.add(object(id)));
    }
    Ordered ordered = message.attachment(Ordered.class);
    if (ordered != null) {
      stages.add(begin(ordered, message.call().caller()));
    }
    return stages.isEmpty() ? null : all(stages);
  }

  private CompletableFuture<?> begin(Ordered ordered, Worker creator) {
    return registry
        .submit(ordered.id(), new Create(self().id(), ordered.fork(), creator.id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                throw RegistryMap.refused(ordered.id(), self(), reply);
              }
              objects.expect(ordered.id()).markCreated();
              ordered.accept();
            });
  }

  /** Returns the object, or the wait for it; an object that will never come ends the wait. */
  private CompletableFuture<@Nullable Object> object(RRefId id) {
    OwnedObject object = objects.expect(id);
    if (!object.isCreated()) {
      var unused =
          registry
              .entry(id)
              .thenAccept(
                  entry -> {
                    State state = entry.state();
                    if (state == State.GONE || state == State.LOST) {
                      object.fail(
                          RegistryMap.refused(
                              id, self(), new Reply(Reply.Verdict.REFUSED, state)));
                      objects.forget(object);
                    }
                  });
    }
    return object.value();
  }

  @Override
  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    Received received = request.attachment(Received.class);
    if (received != null && !received.needed().isEmpty()) {
      arguments.replaceAll(
          argument ->
              argument instanceof Deref deref
                  ? objects.expect(deref.id()).value().join()
                  : argument);
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
      scope.end();
    };
  }

  @Override
  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    Ordered ordered = request.attachment(Ordered.class);
    if (ordered == null) {
      return result;
    }
    List<Handle> contained = new ArrayList<>();
    ContainedRRefs.in(
        result,
        rref -> {
          rref.keep();
          contained.add(rref.handle());
        });
    OwnedObject object = objects.expect(ordered.id());
    object.set(result, contained);
    resolve(ordered, State.READY, result == null ? null : result.getClass().getName());
    return null;
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    Ordered ordered = request.attachment(Ordered.class);
    if (ordered == null) {
      return false;
    }
    objects.expect(ordered.id()).fail(failure);
    resolve(ordered, State.FAILED, null);
    return true;
  }

  /** Tells the registry how the creation ended here; if it ended otherwise, the object goes. */
  private void resolve(Ordered ordered, State outcome, @Nullable String type) {
    var unused =
        registry
            .submit(ordered.id(), new Resolve(self().id(), outcome, type, null, 0))
            .thenAccept(
                reply -> {
                  if (!reply.isOk() && reply.state() != State.ABSENT) {
                    context.background().execute(() -> objects.drop(ordered.id()));
                  }
                });
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    Carried carried = message.attachment(Carried.class);
    if (carried != null) {
      carried.all().forEach(parent -> parent.handle().unpin());
    }
    Creation creation = message.attachment(Creation.class);
    if (creation != null && creation.end()) {
      if (failure == null) {
        created(creation.handle());
      } else {
        notCreated(creation.handle(), failure);
      }
    }
  }

  private static void created(Handle handle) {
    handle.creation().complete(null);
    handle.unpin();
  }

  /** The caller does not know of an object; whether there is one, the registry decides. */
  private void notCreated(Handle handle, GridException failure) {
    boolean gaveUp =
        failure.status() == Status.TIMEOUT || failure.status() == Status.CANCELLED;
    Command command =
        new Resolve(
            handle.owner().id(),
            gaveUp ? State.TIMED_OUT : State.FAILED,
            null,
            handle.fork(),
            self().id());
    CompletableFuture<Reply> resolved;
    try {
      resolved = registry.submit(handle.id(), command);
    } catch (RuntimeException e) { // Hazelcast is shutting down.
      resolved = CompletableFuture.failedFuture(e);
    }
    var unused =
        resolved.whenComplete(
            (reply, thrown) -> {
              boolean ownerWasFirst = thrown == null && !reply.isOk() && reply.state().isLive();
              if (ownerWasFirst) {
                handle.creation().complete(null);
              } else {
                handle.creation().completeExceptionally(explained(handle, failure, gaveUp));
              }
              handle.unpin();
            });
  }

  private static GridException explained(Handle handle, GridException failure, boolean gaveUp) {
    String owner = "worker " + handle.owner().name();
    if (gaveUp) {
      return new GridException(
          Status.RREF_TIMED_OUT,
          "the creation of " + handle.id() + " on " + owner + " timed out: " + failure.getMessage(),
          true,
          failure.remote(),
          failure);
    }
    if (failure.status() == Status.WORKER_LOST) {
      return new GridException(
          Status.RREF_LOST,
          handle.id() + " is lost with its owner, " + owner,
          true,
          failure.remote(),
          failure);
    }
    return failure;
  }

  /** A creation was refused before anything was sent. */
  void notSent(Creation creation) {
    if (creation.end()) {
      handles.forget(creation.handle());
    } else {
      creation.handle().close();
    }
  }

  @Override
  public void dropped(Incoming message) {
    Received received = message.attachment(Received.class);
    if (received != null) {
      received.children().forEach(child -> child.handle().close());
    }
    Ordered ordered = message.attachment(Ordered.class);
    if (ordered != null && ordered.isAccepted()) {
      GridException failure =
          new GridException(
              Status.RREF_FAILED,
              ordered.id() + " was not made: an argument of its function was refused");
      objects.expect(ordered.id()).fail(failure);
      resolve(ordered, State.FAILED, null);
    }
  }

  /** Answers {@code toHere()} of another worker. */
  @Nullable Object fetch(List<@Nullable Object> arguments, Incoming request) throws Exception {
    RRefId id = Ids.ofLongs(arguments.get(0));
    CompletableFuture<@Nullable Object> value = object(id);
    long nanos = request.remainingNanos();
    try {
      return nanos == Long.MAX_VALUE ? value.get() : value.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new GridException(
          Status.TIMEOUT, id + " was not made on worker " + self().name() + " within the deadline");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof GridException known ? known : e;
    }
  }

  private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]))
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure));
  }
}
