package io.hazelgrad.rref.internal.runtime;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.DurableRRefs;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.RRefTotals;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.rref.internal.call.CallScopes;
import io.hazelgrad.rref.internal.call.CreationCalls;
import io.hazelgrad.rref.internal.call.ObjectCalls;
import io.hazelgrad.rref.internal.call.OwnerCreations;
import io.hazelgrad.rref.internal.call.RRefMessages;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.durable.OwnershipTransfer;
import io.hazelgrad.rref.internal.durable.StoredValueMap;
import io.hazelgrad.rref.internal.durable.StoredValueSweep;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.ClientMaintenance;
import io.hazelgrad.rref.internal.maintenance.Maintenance;
import io.hazelgrad.rref.internal.maintenance.Reconciler;
import io.hazelgrad.rref.internal.object.DropHints;
import io.hazelgrad.rref.internal.object.ObjectLimits;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.registry.ClientRegistryRoute;
import io.hazelgrad.rref.internal.registry.MemberRegistryRoute;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The remote references of one grid or client: builds the parts and implements the API. */
final class RRefService implements RRefs {
  private static final Logger LOG = LoggerFactory.getLogger(RRefService.class);
  private static final int MAX_LEAK_LINES = 10;

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final HandleTable handles;
  private final DurableObjects durables;
  private final OwnershipTransfer transfer;
  private final OwnerLookup lookup;
  private final CallScopes scopes = new CallScopes();
  private final CreationCalls creations;
  private final ObjectCalls calls;
  private final Maintenance maintenance;
  private final LeakExplorer explorer;

  RRefService(GridContext context) {
    this.context = context;
    boolean client = context.isClient();
    this.registry =
        new RegistryMap(
            context, client ? new ClientRegistryRoute(context) : new MemberRegistryRoute(context));
    RRefOptions options = context.config().options(RRefOptions.defaults());
    this.objects = new OwnedObjects(new ObjectLimits(context.self().name(), options));
    ObjectWaits waits = new ObjectWaits(context, registry, objects);
    DropHints hints = new DropHints(context, registry, objects);
    this.handles =
        new HandleTable(context, registry, objects::drop, hints::ended, options.fullStacks());
    this.durables =
        new DurableObjects(context, objects, waits, new StoredValueMap(context), options);
    this.transfer =
        new OwnershipTransfer(context, registry, objects, durables, options.handOverWait());
    this.lookup = new OwnerLookup(context, registry, handles);
    this.creations = new CreationCalls(context, handles, registry, scopes);
    this.calls = new ObjectCalls(context, handles, waits, durables, lookup, creations);
    RRefMessages messages =
        new RRefMessages(
            context,
            handles,
            waits,
            calls,
            creations,
            new OwnerCreations(context, objects, registry, durables),
            durables,
            scopes);
    this.maintenance =
        client
            ? new ClientMaintenance(
                context, registry, handles, lookup, messages::isAwaited, messages::callsThatEnded)
            : new Reconciler(
                context,
                registry,
                handles,
                objects,
                hints,
                transfer,
                lookup,
                new StoredValueSweep(context, registry, durables.values()),
                messages::isAwaited);
    if (!client) {
      ClientRegistryRoute.serve(context, registry);
    }
    this.explorer = new LeakExplorer(context, registry, handles, objects);
    context.hook(messages);
    context.hook(messages.dereferences());
    context.interceptor(messages);
    context.every(context.reconcileEvery(), maintenance::run);
    context.gauge("rref.num_owner_rrefs", objects::count);
    context.gauge("rref.num_forks", handles::count);
    context.gauge("rref.owned_bytes", objects.limits()::bytes);
    context.gauge("rref.num_forgotten", handles::forgotten);
    context.gauge("rref.num_pending_users", handles::pendingCount);
    context.gauge("rref.num_releasing", handles::releasingCount);
    context.onClose(this::close);
  }

  @Override
  public <R extends @Nullable Object> RRef<R> remote(
      String to, Function<R> function, @Nullable Object... arguments) {
    return remote(context.callTimeout(), to, function, arguments);
  }

  @Override
  public <R extends @Nullable Object> RRef<R> remote(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return create(to, function, arguments, context.callTimeout(), null);
  }

  @Override
  public <R extends @Nullable Object> RRef<R> remote(
      Duration deadline, String to, Function<R> function, @Nullable Object... arguments) {
    return create(context.worker(to, deadline), function, arguments, deadline, null);
  }

  private <R extends @Nullable Object> RRef<R> create(
      Worker to,
      Function<R> function,
      @Nullable Object[] arguments,
      Duration deadline,
      @Nullable Durability durability) {
    List<@Nullable Object> list = new ArrayList<>(Arrays.asList(arguments));
    return calls.rref(creations.create(to, function, list, deadline, durability));
  }

  @Override
  public <T extends @Nullable Object> RRef<T> local(T value) {
    return local(value, null);
  }

  private <T extends @Nullable Object> RRef<T> local(T value, @Nullable Durability durability) {
    GridException refusal = context.refusal();
    if (refusal != null) {
      throw refusal;
    }
    if (context.isClient()) {
      throw new GridException(
          Status.RREF_NOT_OWNER,
          "client %s cannot own objects, since nobody can call a client: make the object on a worker"
                  .formatted(context.self().name())
              + " by remote(...)");
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
    scopes.add(handle);
    return calls.rref(handle);
  }

  @Override
  public DurableRRefs durable(Durability durability) {
    return new DurableRRefs() {
      @Override
      public <R extends @Nullable Object> RRef<R> remote(
          String to, Function<R> function, @Nullable Object... arguments) {
        return remote(context.callTimeout(), to, function, arguments);
      }

      @Override
      public <R extends @Nullable Object> RRef<R> remote(
          Duration deadline, String to, Function<R> function, @Nullable Object... arguments) {
        return create(context.worker(to, deadline), function, arguments, deadline, durability);
      }

      @Override
      public <T extends @Nullable Object> RRef<T> local(T value) {
        return RRefService.this.local(value, durability);
      }
    };
  }

  @Override
  public int liveCount() {
    return registry.keys(RegistryQuery.live()).size();
  }

  @Override
  public List<HeldRRef> find(RRefFilter filter) {
    return explorer.find(filter);
  }

  @Override
  public List<RRefTotals> totals() {
    return explorer.totals();
  }

  @Override
  public int handleCount() {
    return handles.count();
  }

  @Override
  public int objectCount() {
    return objects.count();
  }

  private void close() {
    GridException ended = context.ended();
    if (ended != null && ended.status() == Status.FENCED) {
      handles.all().forEach(handle -> handle.fail(ended));
      maintenance.drop(ended);
    } else {
      if (!context.leavesWithAll()) {
        transfer.handOver();
        lookup.refresh(calls::isSelf);
      }
      String kind = context.isClient() ? "client " : "worker ";
      String reason = kind + context.self().name() + " has left the grid";
      reportLeaks(kind);
      handles.all().forEach(handle -> handle.closeBecause(reason));
      if (!context.leavesWithAll()) {
        maintenance.leave();
      }
    }
  }

  private void reportLeaks(String kind) {
    String leaks = leaks();
    if (!leaks.isEmpty()) {
      String text = kind + context.self().name() + " leaves the grid, and still" + leaks;
      LOG.warn("{}", text);
      if (context.config().options(RRefOptions.defaults()).failOnLeak()) {
        context.failClose(new GridException(Status.RREF_LEAKED, text));
      }
    }
  }

  /** Returns what is held or owned: a line for each type and creator, the most frequent first. */
  private String leaks() {
    Map<String, Long> counts =
        Stream.concat(
                handles.all().stream()
                    .filter(handle -> !handle.isClosed())
                    .map(handle -> leak("holds", handle.id(), calls.knownType(handle))),
                objects.all().stream()
                    .filter(OwnedObject::isCreated)
                    .map(it -> leak("owns", it.id(), it.isMade() ? it.type() : null)))
            .collect(Collectors.groupingBy(line -> line, TreeMap::new, Collectors.counting()));
    int shown = counts.size() > MAX_LEAK_LINES ? MAX_LEAK_LINES - 1 : counts.size();
    String rest = "\n  and RRefs of " + (counts.size() - shown) + " more types and creators";
    return counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(shown)
        .map(each -> "\n  " + each.getKey() + ": " + each.getValue())
        .collect(Collectors.joining("", "", shown < counts.size() ? rest : ""));
  }

  private String leak(String verb, RRefId id, @Nullable String type) {
    Worker self = context.self();
    String creator =
        id.creator() == self.id() ? self.name() : context.directory().nameOf(id.creator());
    return "%s RRefs of type %s, created by %s"
        .formatted(
            verb,
            type == null ? "unknown" : type,
            creator == null ? "worker " + id.creator() : creator);
  }
}
