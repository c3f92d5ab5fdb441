package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.durable.OwnershipTransfer;
import io.hazelgrad.rref.internal.durable.StoredValueSweep;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.LeakExplorer;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.maintenance.ClientMaintenance;
import io.hazelgrad.rref.internal.maintenance.Maintenance;
import io.hazelgrad.rref.internal.maintenance.Reconciler;
import io.hazelgrad.rref.internal.object.AwaitedCreations;
import io.hazelgrad.rref.internal.object.CreationAttachment;
import io.hazelgrad.rref.internal.object.Creations;
import io.hazelgrad.rref.internal.object.DereferenceMark;
import io.hazelgrad.rref.internal.object.ObjectCalls;
import io.hazelgrad.rref.internal.object.ObjectLimits;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.registry.ClientRegistryRoute;
import io.hazelgrad.rref.internal.registry.DropHints;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import io.hazelgrad.rref.internal.runtime.RRefMessages;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remote references of one grid, or of a client of one: makes objects on workers and hands out
 * {@link RRef}s to them.
 *
 * <pre>{@code
 * RRefs rrefs = RRefs.on(grid);
 * try (RRef<Counter> counter = rrefs.remote("w1", Counter::new)) {
 *   int count = counter.sync(Counter::add, 3);
 * }
 * }</pre>
 *
 * <p>Threads: safe.
 */
public final class RRefs {
  private static final Logger LOG = LoggerFactory.getLogger(RRefs.class);

  /** For how long calls may use durable objects that are to be handed over. */
  private static final Duration HAND_OVER = Duration.ofSeconds(5);

  /** One for all grids of the JVM: it needs a thread. */
  private static final Cleaner CLEANER = Cleaner.create();

  private final GridContext context;
  private final RegistryMap registry;
  private final BackgroundRunner background;
  private final OwnedObjects objects;
  private final HandleTable handles;
  private final DurableObjects durables;
  private final OwnershipTransfer adoptions;
  private final OwnerLookup whereabouts;
  private final Creations creations;
  private final RRefMessages messages;
  private final AwaitedCreations awaitedCreations = new AwaitedCreations();
  private final Maintenance upkeep;
  private final ObjectCalls calls;
  private final LeakExplorer explorer;

  public RRefs(GridContext context) {
    this.context = context;
    this.registry = new RegistryMap(context);
    this.background = new BackgroundRunner(context);
    RRefOptions options = context.config().options(RRefOptions.defaults());
    this.objects = new OwnedObjects(new ObjectLimits(context.self().name(), options));
    ObjectWaits waits = new ObjectWaits(context, registry, objects, background);
    DropHints hints = new DropHints(context, registry, objects, background);
    this.handles = new HandleTable(context, registry, objects, hints, options.fullStacks());
    this.durables = new DurableObjects(context, objects, waits, background, options);
    this.adoptions = new OwnershipTransfer(context, registry, objects, durables, background);
    this.whereabouts = new OwnerLookup(context, registry, handles, background);
    this.calls = new ObjectCalls(context, waits, durables, whereabouts, background);
    this.creations = new Creations(context, handles, objects, registry, durables, background);
    this.messages =
        new RRefMessages(this, context, handles, waits, creations, durables, background);
    this.upkeep =
        context.isClient()
            ? new ClientMaintenance(context, registry, handles, whereabouts, messages::isAwaited)
            : new Reconciler(
                context,
                registry,
                handles,
                objects,
                hints,
                adoptions,
                whereabouts,
                new StoredValueSweep(context, registry, durables.values()),
                messages::isAwaited);
    if (!context.isClient()) {
      ClientRegistryRoute.serve(context, registry);
    }
    this.explorer = new LeakExplorer(context, registry, handles, objects, background);
    context.onLost(registry::forget);
    context.hook(messages.rrefs());
    context.hook(messages.derefs());
    context.interceptor(messages);
    context.asyncHandler(ObjectCalls.FETCH, messages::fetch);
    context.asyncHandler(ObjectCalls.TYPE, messages::type);
    context.every(context.reconcileEvery(), upkeep::run);
    context.gauge("rref.num_owner_rrefs", objects::count);
    context.gauge("rref.num_forks", handles::count);
    context.gauge("rref.owned_bytes", objects.limits()::bytes);
    context.gauge("rref.num_forgotten", handles::forgotten);
    context.gauge("rref.num_pending_users", handles::pendingCount);
    context.gauge("rref.num_releasing", handles::releasingCount);
    context.onClose(this::close);
  }

  /** Returns the remote references of a grid. */
  public static RRefs on(GridAccess grid) {
    return grid.service(RRefs.class);
  }

  /** Calls a function on a worker; its result stays there. */
  public <R extends @Nullable Object> RRef<R> remote(
      String to, Function<R> function, @Nullable Object... arguments) {
    return remote(context.worker(to, context.callTimeout()), function, arguments);
  }

  /** Calls a function on this incarnation of a worker; its result stays there. */
  public <R extends @Nullable Object> RRef<R> remote(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return create(to, function, new ArrayList<>(Arrays.asList(arguments)), context.callTimeout());
  }

  /** Calls a method or constructor without arguments; its result stays on the worker. */
  public <R> RRef<R> remote(String to, Function.F0<R> function) {
    return remote(to, Function.of(function));
  }

  /** Calls a method or constructor with one argument; its result stays on the worker. */
  public <A, R> RRef<R> remote(String to, Function.F1<A, R> function, A a) {
    return remote(to, Function.of(function), a);
  }

  /** Calls a method or constructor with two arguments; its result stays on the worker. */
  public <A, B, R> RRef<R> remote(String to, Function.F2<A, B, R> function, A a, B b) {
    return remote(to, Function.of(function), a, b);
  }

  /** Calls a method or constructor with three arguments; its result stays on the worker. */
  public <A, B, C, R> RRef<R> remote(String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return remote(to, Function.of(function), a, b, c);
  }

  /** Calls a method or constructor with four arguments; its result stays on the worker. */
  public <A, B, C, D, R> RRef<R> remote(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return remote(to, Function.of(function), a, b, c, d);
  }

  /** Calls a function on a worker within a deadline; its result stays there. */
  public <R extends @Nullable Object> RRef<R> remote(
      Duration deadline, String to, Function<R> function, @Nullable Object... arguments) {
    return create(
        context.worker(to, deadline),
        function,
        new ArrayList<>(Arrays.asList(arguments)),
        deadline);
  }

  /**
   * Makes a reference to an object of this worker. Others hear of it when it is shared. Handles
   * inside the object stay what they were: those of a called function need {@link RRef#keep()}.
   *
   * @throws GridException CLOSED if this grid has been closed; REJECTED if {@link RRefOptions} has
   *     no room for it; RREF_NOT_OWNER on a client
   */
  public <T extends @Nullable Object> RRef<T> local(T value) {
    return local(value, null);
  }

  <T extends @Nullable Object> RRef<T> local(T value, @Nullable Durability durability) {
    GridException ended = context.ended();
    if (ended != null) {
      throw ended;
    }
    if (context.isClient()) {
      throw new GridException(
          Status.RREF_NOT_OWNER,
          who()
              + " owns no objects, since nobody could call it to use them: make this one on a"
              + " worker, by remote(...)");
    }
    objects.limits().takeObject();
    RRefHandle handle = handles.local(durability != null);
    try {
      OwnedObject object = objects.create(handle.id());
      if (durability != null) {
        var unused = durables.keepFirst(object, value, durability);
      }
      object.setLocal(value, handle.fork());
    } catch (GridException noRoom) {
      handles.forget(handle);
      objects.drop(handle.id());
      throw noRoom;
    }
    messages.enterScope(handle);
    return rref(handle);
  }

  /**
   * Returns calls that make durable objects: their value is stored on two workers, and when their
   * owner dies or leaves, another worker becomes the owner.
   */
  public DurableRRefs durable(Durability durability) {
    return new DurableRRefs(this, durability);
  }

  <R extends @Nullable Object> RRef<R> createDurable(
      String to,
      Function<R> function,
      @Nullable Object[] arguments,
      @Nullable Duration deadline,
      Durability durability) {
    Duration within = deadline == null ? context.callTimeout() : deadline;
    return create(
        context.worker(to, within),
        function,
        new ArrayList<>(Arrays.asList(arguments)),
        within,
        durability);
  }

  /** Returns the number of RRefs in the whole grid that have handles. Asks every member. */
  public int liveCount() {
    return registry.keys(RegistryQuery.live()).size();
  }

  /**
   * Reports who holds what: a row for each open handle that passes a filter, in the order of the
   * holders, clients last. Asks the living workers one after the other; those that do not answer
   * within 5 s are left out. Costs them a pass over their handles for every 4,096 that are looked
   * at, and for each other client a search of the registry.
   */
  public List<HeldRRef> find(RRefFilter filter) {
    return explorer.find(filter);
  }

  /**
   * Returns how much each living worker owns and holds, in the order of their ids. Asks them all at
   * once; those that do not answer within 5 s are left out. Cheap.
   */
  public List<RRefTotals> totals() {
    return explorer.totals();
  }

  /** Returns the number of handles that this worker holds and has not released. */
  public int handleCount() {
    return handles.count();
  }

  /** Returns the number of objects that this worker owns. */
  public int objectCount() {
    return objects.count();
  }

  private <R extends @Nullable Object> RRef<R> create(
      Worker to, Function<R> function, List<@Nullable Object> arguments, Duration deadline) {
    return create(to, function, arguments, deadline, null);
  }

  private <R extends @Nullable Object> RRef<R> create(
      Worker to,
      Function<R> function,
      List<@Nullable Object> arguments,
      Duration deadline,
      @Nullable Durability durability) {
    RRefHandle handle = handles.creator(to, durability != null);
    CreationAttachment creation =
        new CreationAttachment(handle, durability, awaitedCreations.isNext());
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
      creations.notSent(creation);
      throw e;
    }
    messages.enterScope(handle);
    return rref(handle);
  }

  /** Makes the object that users see; it is watched, so that a forgotten handle is released. */
  public <T extends @Nullable Object> RRef<T> rref(RRefHandle handle) {
    Object anchor = new Object();
    var unused = CLEANER.register(anchor, () -> forgotten(handle, handles, background));
    return new RRef<>(this, handle, context.callTimeout(), anchor);
  }

  /** Not on the cleaner's thread: closing a handle may close an object of the user's. */
  private static void forgotten(
      RRefHandle handle, HandleTable handles, BackgroundRunner background) {
    if (!handle.isClosed()) {
      handles.countForgotten();
      LOG.warn("{}, {}, was never closed; the garbage collector found it", handle, handle.origin());
      background.execute(handle::close);
    }
  }

  private String who() {
    return (context.isClient() ? "client " : "worker ") + context.self().name();
  }

  <T extends @Nullable Object> T await(Supplier<CompletableFuture<T>> call) {
    return context.await(call);
  }

  /** Somebody waits for a creation, and so perhaps for the next ones. */
  void creationIsAwaited() {
    awaitedCreations.asked();
  }

  ObjectCalls calls() {
    return calls;
  }

  <R extends @Nullable Object> RRef<R> remoteOn(
      RRef<?> rref, Function<R> function, @Nullable Object[] arguments, Duration timeout) {
    RRefHandle handle = ObjectCalls.pin(rref);
    try {
      ObjectCalls.requireCreated(handle);
      RRef<R> created =
          create(
              whereabouts.current(handle, timeout),
              function,
              RRef.list(new DereferenceMark(handle.id()), arguments),
              timeout);
      var unused = created.handle().creation().whenComplete((nothing, failure) -> handle.unpin());
      return created;
    } catch (Throwable e) {
      handle.unpin();
      throw ObjectCalls.lost(handle, e);
    }
  }

  private void close() {
    GridException ended = context.ended();
    if (ended != null && ended.status() == Status.FENCED) {
      handles.all().forEach(handle -> handle.fail(ended));
      upkeep.drop(ended);
    } else {
      adoptions.handOver(HAND_OVER);
      whereabouts.refresh(calls::isSelf);
      String reason = who() + " has left the grid";
      handles.all().forEach(handle -> handle.closeBecause(reason));
      upkeep.leave();
    }
  }
}
