package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.internal.handle.IncomingForks;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.runtime.WireIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The durable objects of this worker: makes them durable, stores them at their owners' calls, and
 * lets others ask for checkpoints. How they get another owner is said in {@link OwnershipTransfer}.
 *
 * <p>Threads: safe.
 */
public final class DurableObjects {
  private static final String CHECKPOINT = "rref.checkpoint";
  private static final int FIRST_EPOCH = 1;

  /** The durable objects that a request uses, until it is over. */
  private record Uses(List<DurableObject> objects) {}

  private final GridContext context;
  private final OwnedObjects objects;
  private final ObjectWaits waits;
  private final BackgroundRunner background;
  private final StoredValueMap values;
  private final long maxBytes;
  private final Set<DurableObject> kept = ConcurrentHashMap.newKeySet();

  public DurableObjects(
      GridContext context,
      OwnedObjects objects,
      ObjectWaits waits,
      BackgroundRunner background,
      RRefOptions options) {
    this.context = context;
    this.objects = objects;
    this.waits = waits;
    this.background = background;
    this.values = new StoredValueMap(context);
    this.maxBytes = options.maxDurableBytes();
    context.asyncHandler(
        CHECKPOINT, (arguments, request) -> checkpoint(WireIds.ofLongs(arguments.get(0))));
    context.gauge("rref.num_durable", kept::size);
  }

  public StoredValueMap values() {
    return values;
  }

  BackgroundRunner background() {
    return background;
  }

  List<DurableObject> all() {
    return List.copyOf(kept);
  }

  /**
   * Makes an object durable that was made here and is to be set next; nothing is stored yet.
   *
   * @throws GridException BAD_VALUE or NOT_ALLOWED if the value cannot be stored
   */
  public DurableObject keepFirst(
      OwnedObject object, @Nullable Object value, Durability durability) {
    DurableObject durable = new DurableObject(object.id(), value, FIRST_EPOCH, durability, this);
    var unused = durable.encode();
    keep(object, durable);
    return durable;
  }

  /** Makes an object durable that was adopted and is to be set next. */
  void keepNext(OwnedObject object, @Nullable Object value, int epoch, Durability durability) {
    keep(object, new DurableObject(object.id(), value, epoch, durability, this));
  }

  private void keep(OwnedObject object, DurableObject durable) {
    kept.add(durable);
    object.keepBy(durable);
  }

  /** The object was dropped. */
  void forget(DurableObject durable) {
    kept.remove(durable);
  }

  /** Writes a value for its checkpoint. */
  byte[] encode(RRefId id, @Nullable Object value) {
    byte[] bytes;
    try {
      bytes = context.toBytes(value);
    } catch (GridException e) {
      throw new GridException(
          e.status(), id + " is durable, but its value cannot be stored: " + e.getMessage(), e);
    }
    if (bytes.length > maxBytes) {
      throw new GridException(
          Status.BAD_VALUE,
          id
              + " is durable, but its value has "
              + bytes.length
              + " bytes, more than RRefOptions.maxDurableBytes="
              + maxBytes
              + ": keep less in one object, or allow more");
    }
    return bytes;
  }

  // ---- Checkpoints that are asked for ----

  /** Stores an object, here or at its owner. */
  public CompletableFuture<Void> checkpoint(RRefHandle handle, Worker owner, Duration timeout) {
    if (owner.id() == context.self().id()) {
      return checkpoint(handle.id());
    }
    List<@Nullable Object> arguments = new ArrayList<>(1);
    arguments.add(WireIds.toLongs(handle.id()));
    return context.call(owner, CHECKPOINT, arguments, timeout);
  }

  private CompletableFuture<Void> checkpoint(RRefId id) {
    OwnedObject object = waits.begin(id);
    CompletableFuture<Void> stored =
        object.value().thenComposeAsync(value -> checkpoint(object), background);
    var unused = stored.whenComplete((nothing, failure) -> waits.end(object));
    return stored;
  }

  private static CompletableFuture<Void> checkpoint(OwnedObject object) {
    DurableObject durable = object.durable();
    return durable == null
        ? CompletableFuture.failedFuture(
            new GridException(Status.BAD_ARGUMENT, object.id() + " is not durable"))
        : durable.checkpoint();
  }

  // ---- Calls ----

  /**
   * A function is about to run with objects and handles that its request brought.
   *
   * @throws GridException WORKER_LOST if one of the objects is being handed over
   */
  public void begin(Incoming request, IncomingForks received) {
    List<DurableObject> used = new ArrayList<>();
    request.attach(Uses.class, new Uses(used));
    for (OwnedObject object : received.needed()) {
      begin(object, used);
    }
    for (IncomingForks.Child child : received.children()) {
      OwnedObject object = child.handle().isDurable() ? objects.find(child.handle().id()) : null;
      if (object != null) {
        begin(object, used);
      }
    }
  }

  private static void begin(OwnedObject object, List<DurableObject> used) {
    DurableObject durable = object.durable();
    if (durable != null && !used.contains(durable)) {
      durable.beginUse();
      used.add(durable);
    }
  }

  /** The function has ended; adds what must be stored before its caller hears of that. */
  public void ready(Outgoing reply, List<CompletableFuture<?>> stages) {
    Incoming request = reply.inReplyTo();
    if (request != null) {
      store(request, stages);
    }
  }

  /** The function threw: waits until all is stored, since the reply to this call does not. */
  public void threw(Incoming request) {
    List<CompletableFuture<?>> stages = new ArrayList<>(0);
    store(request, stages);
    try {
      stages.forEach(context::await);
    } catch (GridException e) {
      throw new GridException(
          e.status(), String.valueOf(e.getMessage()), true, e.remote(), e.getCause());
    }
  }

  private static void store(Incoming request, List<CompletableFuture<?>> stages) {
    Uses uses = request.attachment(Uses.class);
    if (uses != null) {
      for (DurableObject object : uses.objects()) {
        if (object.isStoredWithEveryReply()) {
          stages.add(object.checkpoint());
        }
      }
    }
  }

  /** The request is over. */
  public void end(Incoming request) {
    Uses uses = request.attachment(Uses.class);
    if (uses != null) {
      uses.objects().forEach(DurableObject::endUse);
      uses.objects().clear();
    }
  }
}
