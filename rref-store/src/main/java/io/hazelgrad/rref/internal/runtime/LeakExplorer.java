package io.hazelgrad.rref.internal.runtime;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefTotals;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.ObjectLimits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the handles and objects of the whole grid, to find leaks. Holders know where and when their
 * handles were made; owners know state, type and bytes of the objects. Both are asked page by page.
 * Other clients cannot be asked, so the registry is searched for their forks.
 *
 * <p>Workers that do not answer within {@link #DEADLINE} are left out. Threads: safe.
 */
final class LeakExplorer {
  private static final Logger LOG = LoggerFactory.getLogger(LeakExplorer.class);
  private static final String TOTALS = "rref.totals";
  private static final String HELD = "rref.held";
  private static final String OWNED = "rref.owned";
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final int PAGE = 4096;

  /** A handle, as its holder reports it. */
  private record Held(
      RRefId id,
      ForkId fork,
      String owner,
      long ownerId,
      long ageMillis,
      String madeAt,
      boolean durable) {}

  /** An object, as its owner reports it. */
  private record Owned(String state, @Nullable String type, long bytes) {
    Owned(String state) {
      this(state, null, -1);
    }
  }

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;
  private final OwnedObjects objects;
  private final BackgroundRunner background;

  LeakExplorer(
      GridContext context, RegistryMap registry, HandleTable handles, OwnedObjects objects) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.objects = objects;
    this.background = new BackgroundRunner(context);
    serve(TOTALS, arguments -> own());
    serve(HELD, this::held);
    serve(OWNED, this::owned);
  }

  private void serve(String service, Function<List<@Nullable Object>, Object> answer) {
    context.asyncHandler(
        service,
        (arguments, request) ->
            CompletableFuture.supplyAsync(() -> answer.apply(arguments), background));
  }

  // ---- Asking ----

  List<RRefTotals> totals() {
    Map<Worker, CompletableFuture<long[]>> asked = new LinkedHashMap<>();
    sorted(context.directory().living(), null)
        .forEach(worker -> asked.put(worker, context.tryCall(worker, TOTALS, List.of(), DEADLINE)));
    List<RRefTotals> totals = new ArrayList<>();
    asked.forEach(
        (worker, answer) -> {
          long[] counts = answer(worker, answer);
          if (counts != null) {
            totals.add(new RRefTotals(worker.name(), counts[0], counts[1], counts[2], counts[3]));
          }
        });
    return totals;
  }

  List<HeldRRef> find(RRefFilter filter) {
    Map<Long, Worker> living = context.directory().living();
    List<HeldRRef> found = new ArrayList<>();
    for (Worker holder : sorted(living, filter.holder())) {
      find(filter, holder, living, found);
    }
    for (Worker client : sorted(context.directory().clients(), filter.holder())) {
      if (client.id() == context.self().id()) {
        find(filter, client, living, found);
      } else if (filter.olderThan().isZero()) { // The registry does not know the age of a fork.
        findOfClient(filter, client, living, found);
      }
    }
    return found;
  }

  private void find(
      RRefFilter filter, Worker holder, Map<Long, Worker> living, List<HeldRRef> found) {
    ForkId after = null;
    while (found.size() < filter.limit()) {
      int size = filter.type() == null ? Math.min(PAGE, filter.limit() - found.size()) : PAGE;
      List<Held> page = page(holder, filter, after, size);
      add(page, filter, holder, living, found);
      if (page.size() < size) {
        return;
      }
      after = page.get(page.size() - 1).fork();
    }
  }

  private void findOfClient(
      RRefFilter filter, Worker client, Map<Long, Worker> living, List<HeldRRef> found) {
    List<Held> held = heldBy(client, living, filter.owner());
    for (int i = 0; i < held.size() && found.size() < filter.limit(); i += PAGE) {
      add(held.subList(i, Math.min(i + PAGE, held.size())), filter, client, living, found);
    }
  }

  /** Returns the forks of a client as the registry knows them, without their age. */
  private List<Held> heldBy(Worker client, Map<Long, Worker> living, @Nullable String wanted) {
    List<Held> held = new ArrayList<>();
    for (Map.Entry<RRefId, Entry> stored : registry.entries(RegistryQuery.heldBy(client.id()))) {
      Entry entry = stored.getValue();
      Worker worker = living.get(entry.owner());
      String known = worker == null ? context.directory().nameOf(entry.owner()) : worker.name();
      String owner = known == null ? "worker " + entry.owner() : known;
      boolean durable = entry.epoch() != Entry.NOT_DURABLE;
      if (wanted == null || wanted.equals(owner)) {
        for (ForkId fork : entry.forks().heldBy(client.id())) {
          held.add(
              new Held(
                  stored.getKey(), fork, owner, entry.owner(), -1, "held by a client", durable));
        }
      }
    }
    held.sort(Comparator.comparing(Held::fork));
    return held;
  }

  private void add(
      List<Held> page,
      RRefFilter filter,
      Worker holder,
      Map<Long, Worker> living,
      List<HeldRRef> found) {
    Map<RRefId, Owned> facts = facts(page, living);
    for (Held held : page) {
      Owned owned = facts.getOrDefault(held.id(), new Owned("UNKNOWN"));
      boolean wanted = filter.type() == null || filter.type().equals(owned.type());
      if (wanted && found.size() < filter.limit()) {
        found.add(
            new HeldRRef(
                held.id().creator() + "-" + held.id().sequence(),
                held.fork().toString(),
                held.owner(),
                holder.name(),
                owned.state(),
                owned.type(),
                owned.bytes(),
                held.ageMillis(),
                held.madeAt(),
                held.durable()));
      }
    }
  }

  private List<Held> page(Worker holder, RRefFilter filter, @Nullable ForkId after, int size) {
    List<@Nullable Object> arguments =
        Arrays.asList(
            filter.owner(),
            filter.olderThan().toMillis(),
            after == null ? null : WireIds.toLongs(after),
            size);
    List<List<Object>> answer =
        context.isClient() && holder.id() == context.self().id()
            ? held(arguments) // Nobody can call a client.
            : answer(holder, context.tryCall(holder, HELD, arguments, DEADLINE));
    return answer == null ? List.of() : answer.stream().map(LeakExplorer::toHeld).toList();
  }

  private Map<RRefId, Owned> facts(List<Held> page, Map<Long, Worker> living) {
    Map<RRefId, Owned> facts = new HashMap<>();
    Map<Worker, List<RRefId>> byOwner = new HashMap<>();
    for (Held held : page) {
      Worker owner = living.get(held.ownerId());
      if (owner == null) {
        RRefState state = held.durable() ? RRefState.ORPHANED : RRefState.LOST;
        facts.put(held.id(), new Owned(state.name()));
      } else {
        byOwner.computeIfAbsent(owner, key -> new ArrayList<>()).add(held.id());
      }
    }
    byOwner.forEach(
        (owner, ids) -> {
          List<List<@Nullable Object>> answer =
              answer(owner, context.tryCall(owner, OWNED, WireIds.toLongs(ids), DEADLINE));
          for (int i = 0; answer != null && i < ids.size(); i++) {
            List<@Nullable Object> values = answer.get(i);
            facts.put(
                ids.get(i),
                new Owned(
                    String.valueOf(values.get(0)), (String) values.get(1), asLong(values.get(2))));
          }
        });
    return facts;
  }

  /** Returns the workers of one name, or all, in the order of their ids. */
  private static List<Worker> sorted(Map<Long, Worker> all, @Nullable String name) {
    return all.values().stream()
        .filter(worker -> name == null || name.equals(worker.name()))
        .sorted(Comparator.comparingLong(Worker::id))
        .toList();
  }

  private <R> @Nullable R answer(Worker worker, CompletableFuture<R> asked) {
    try {
      return context.await(asked);
    } catch (GridException e) {
      LOG.info(
          "worker {} did not answer a question about its handles and objects", worker.name(), e);
      return null;
    }
  }

  // ---- Answering ----

  private long[] own() {
    ObjectLimits limits = objects.limits();
    return new long[] {limits.objects(), limits.bytes(), handles.count(), handles.forgotten()};
  }

  private List<List<Object>> held(List<@Nullable Object> arguments) {
    Object owner = arguments.get(0);
    long age = asLong(arguments.get(1));
    ForkId after = arguments.get(2) == null ? null : WireIds.forkOfLongs(arguments.get(2));
    return handles.all().stream()
        .filter(handle -> owner == null || owner.equals(handle.owner().name()))
        .filter(handle -> handle.ageMillis() >= age)
        .filter(handle -> after == null || handle.fork().compareTo(after) > 0)
        .sorted(Comparator.comparing(RRefHandle::fork))
        .limit(Math.min(asLong(arguments.get(3)), PAGE))
        .map(LeakExplorer::toValues)
        .toList();
  }

  private static List<Object> toValues(RRefHandle handle) {
    return List.of(
        WireIds.toLongs(handle.id()),
        WireIds.toLongs(handle.fork()),
        handle.owner().name(),
        handle.owner().id(),
        handle.ageMillis(),
        handle.origin().toString(),
        handle.isDurable());
  }

  private static Held toHeld(List<Object> values) {
    return new Held(
        WireIds.rrefOfLongs(values.get(0)),
        WireIds.forkOfLongs(values.get(1)),
        (String) values.get(2),
        asLong(values.get(3)),
        asLong(values.get(4)),
        (String) values.get(5),
        (Boolean) values.get(6));
  }

  private List<List<@Nullable Object>> owned(List<@Nullable Object> ids) {
    return ids.stream().map(id -> facts(objects.find(WireIds.rrefOfLongs(id)))).toList();
  }

  /** Returns the state, the type and the bytes of an object. */
  private static List<@Nullable Object> facts(@Nullable OwnedObject object) {
    if (object != null && object.isMade()) {
      return Arrays.asList(RRefState.READY.name(), object.type(), object.bytes());
    }
    RRefState state =
        object == null
            ? RRefState.GONE
            : object.value().isDone() ? RRefState.FAILED : RRefState.CREATING;
    return Arrays.asList(state.name(), null, -1L);
  }

  private static long asLong(@Nullable Object number) {
    return ((Number) Objects.requireNonNull(number)).longValue();
  }
}
