package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.registry.EntryEndListener;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells owners that the last fork of an object was released, so that they drop it at once. This is
 * only a hint: an owner that misses it drops the object in the next round of reconciliation. Most
 * entries lie on the member of their owner, where no message is needed. Otherwise one message to
 * each owner is under way at a time, and later hints go with the next one. Threads: safe.
 */
public final class DropHints implements EntryEndListener {
  private static final Logger LOG = LoggerFactory.getLogger(DropHints.class);
  private static final String SERVICE = "rref.drop";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final BackgroundRunner background;

  /** The hints that wait while a message is under way to an owner. Guarded by this. */
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
          drop(arguments.stream().map(WireIds::rrefOfLongs).toList());
          return null;
        });
    if (!context.isClient()) {
      Map<String, Object> here = context.hazelcast().getUserContext();
      here.put(KEY, this);
      context.onClose(() -> here.remove(KEY, this));
    }
  }

  @Override
  public void endedHere(List<RRefId> ids) {
    drop(ids.stream().filter(id -> objects.find(id) != null).toList());
  }

  @Override
  public void ended(RRefId id, Worker owner) {
    if (registry.isKeptBy(owner, id)) {
      return; // It hears of the end on its own member.
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
    // In the background, since this may be a Hazelcast thread, and more hints may follow.
    background.execute(() -> sendNext(owner));
  }

  /** Sends the waiting hints; the reply sends those that came meanwhile. */
  private void sendNext(Worker owner) {
    List<RRefId> ids;
    synchronized (this) {
      ids = underWay.getOrDefault(owner, List.of());
      if (ids.isEmpty()) {
        underWay.remove(owner);
        return;
      }
      underWay.put(owner, new ArrayList<>());
    }
    List<@Nullable Object> arguments = WireIds.toLongs(ids);
    try {
      var unused =
          context
              .retrying(() -> context.call(owner, SERVICE, arguments, DEADLINE))
              .whenComplete((nothing, failure) -> sendNext(owner));
    } catch (GridException e) { // The owner has left with its objects, or this grid is closed.
      LOG.debug("owner {} was not told of {} dropped objects", owner.name(), ids.size(), e);
      synchronized (this) {
        underWay.remove(owner);
      }
    }
  }

  /** Drops in the background, since objects may have a close() of the user. */
  private void drop(List<RRefId> ids) {
    if (!ids.isEmpty()) {
      background.execute(() -> ids.forEach(objects::drop));
    }
  }
}
