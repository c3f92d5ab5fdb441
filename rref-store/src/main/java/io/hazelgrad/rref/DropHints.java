package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
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
 * One message to each owner is under way at a time; what comes meanwhile goes with the next.
 */
final class DropHints {
  private static final Logger LOG = LoggerFactory.getLogger(DropHints.class);
  private static final String SERVICE = "rref.drop";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext context;
  private final OwnedObjects objects;
  private final Background background;

  /** By owner, what waits while a message is under way to it. Guarded by this. */
  private final Map<Worker, List<RRefId>> underWay = new HashMap<>();

  DropHints(GridContext context, OwnedObjects objects, Background background) {
    this.context = context;
    this.objects = objects;
    this.background = background;
    context.handler(
        SERVICE,
        Handler.Lane.CONTROL,
        (arguments, request) -> {
          drop(arguments.stream().map(Ids::ofLongs).toList());
          return null;
        });
  }

  /** The registry answered that nothing refers to an object any more. */
  void gone(RRefId id, Worker owner) {
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
      underWay.put(owner, new ArrayList<>());
    }
    // Not here: this may be a thread of Hazelcast's.
    background.execute(() -> send(owner, List.of(id)));
  }

  private void send(Worker owner, List<RRefId> ids) {
    List<@Nullable Object> arguments = new ArrayList<>(ids.size());
    ids.forEach(id -> arguments.add(Ids.toLongs(id)));
    try {
      var unused =
          context
              .retrying(() -> context.call(owner, SERVICE, arguments, DEADLINE))
              .whenComplete((nothing, failure) -> sent(owner));
    } catch (GridException e) { // It has left, and its objects with it; or this grid is closed.
      LOG.debug("owner {} was not told of {} dropped objects", owner.name(), ids.size(), e);
      synchronized (this) {
        underWay.remove(owner);
      }
    }
  }

  private void sent(Worker owner) {
    List<RRefId> waiting;
    synchronized (this) {
      waiting = underWay.remove(owner);
      if (waiting == null || waiting.isEmpty()) {
        return;
      }
      underWay.put(owner, new ArrayList<>());
    }
    send(owner, waiting);
  }

  /** Objects may have a close() of the user's, which must not run on a thread of the grid's. */
  private void drop(List<RRefId> ids) {
    background.execute(() -> ids.forEach(objects::drop));
  }
}
