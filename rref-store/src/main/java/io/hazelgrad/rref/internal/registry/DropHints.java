package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.runtime.WireIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells owners that the last reference to an object is gone, so that they drop it at once. Only a
 * hint: an owner that does not hear it finds out when it compares its objects with the registry.
 * Most entries are kept by the member of their owner, where no message is needed; else one message
 * to each owner is under way at a time; what comes meanwhile goes with the next.
 */
public final class DropHints {
  private static final Logger LOG = LoggerFactory.getLogger(DropHints.class);
  private static final String SERVICE = "rref.drop";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /** Where an instance keeps its worker's. */
  private static final String HERE = "io.hazelgrad.rref.hints";

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final BackgroundRunner background;

  /** By owner, what waits while a message is under way to it. Guarded by this. */
  private final Map<Worker, List<RRefId>> underWay = new HashMap<>();

  public DropHints(
      GridContext context,
      RegistryMap registry,
      OwnedObjects objects,
      BackgroundRunner background) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.background = background;
    context.handler(
        SERVICE,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          drop(arguments.stream().map(WireIds::ofLongs).toList());
          return null;
        });
    if (!context.isClient()) {
      Map<String, Object> here = context.hazelcast().getUserContext();
      here.put(HERE, this);
      context.onClose(() -> here.remove(HERE, this));
    }
  }

  /** Nothing refers any more to some entries that this member keeps: their owner may be here. */
  static void goneHere(HazelcastInstance member, List<RRefId> ids) {
    if (member.getUserContext().get(HERE) instanceof DropHints hints) {
      hints.drop(ids.stream().filter(id -> hints.objects.find(id) != null).toList());
    }
  }

  /** The registry answered that nothing refers to an object any more. */
  public void gone(RRefId id, Worker owner) {
    if (registry.isKeptBy(owner, id)) {
      return; // It has heard it there.
    }
    if (owner.id() == context.self().id()) {
      drop(List.of(id));
      return;
    }
    synchronized (this) {
      List<RRefId> waiting = underWay.get(owner);
      if (waiting != null) {
        waiting.add(id);
        return;
      }
      underWay.put(owner, new ArrayList<>(List.of(id)));
    }
    // Not here: this may be a thread of Hazelcast's, and it may know more in a moment.
    background.execute(() -> sendNext(owner));
  }

  /** Sends what waits; whatever comes meanwhile goes when that was answered. */
  private void sendNext(Worker owner) {
    List<@Nullable Object> arguments = new ArrayList<>();
    synchronized (this) {
      List<RRefId> ids = underWay.getOrDefault(owner, List.of());
      if (ids.isEmpty()) {
        underWay.remove(owner);
        return;
      }
      ids.forEach(id -> arguments.add(WireIds.toLongs(id)));
      underWay.put(owner, new ArrayList<>());
    }
    try {
      var unused =
          context
              .retrying(() -> context.call(owner, SERVICE, arguments, DEADLINE))
              .whenComplete((nothing, failure) -> sendNext(owner));
    } catch (GridException e) { // It has left, and its objects with it; or this grid is closed.
      LOG.debug("owner {} was not told of {} dropped objects", owner.name(), arguments.size(), e);
      synchronized (this) {
        underWay.remove(owner);
      }
    }
  }

  /** Objects may have a close() of the user's, which must not run on a thread of the grid's. */
  private void drop(List<RRefId> ids) {
    if (!ids.isEmpty()) {
      background.execute(() -> ids.forEach(objects::drop));
    }
  }
}
