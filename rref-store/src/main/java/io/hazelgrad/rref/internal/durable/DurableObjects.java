package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.DurableObject;
import io.hazelgrad.rref.internal.object.IncomingForks;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.object.OwnedObjects;
import io.hazelgrad.rref.internal.object.StoredValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes objects of this worker durable, writes checkpoints before replies, and serves requests for
 * checkpoints. {@link OwnershipTransfer} moves them to another owner. Threads: safe.
 */
public final class DurableObjects implements DurableObject.Services {
  private static final String CHECKPOINT = "rref.checkpoint";
  private static final int FIRST_EPOCH = 1;

  /** Attached to a request: the durable objects that it uses until it has ended. */
  private record Uses(List<DurableObject> objects) {}

  private final GridContext context;
  private final OwnedObjects objects;
  private final ObjectWaits waits;
  private final BackgroundRunner background;
  private final StoredValues values;
  private final long maxBytes;
  private final Set<DurableObject> kept = ConcurrentHashMap.newKeySet();

  public DurableObjects(
      GridContext context,
      OwnedObjects objects,
      ObjectWaits waits,
      StoredValues values,
      RRefOptions options) {
    this.context = context;
    this.objects = objects;
    this.waits = waits;
    this.background = new BackgroundRunner(context);
    this.values = values;
    this.maxBytes = options.maxDurableBytes();
    context.asyncHandler(
        CHECKPOINT, (arguments, request) -> checkpoint(WireIds.rrefOfLongs(arguments.get(0))));
    context.gauge("rref.num_durable", kept::size);
  }

  @Override
  public StoredValues values() {
    return values;
  }

  @Override
  public BackgroundRunner background() {
    return background;
  }

  List<DurableObject> all() {
    return List.copyOf(kept);
  }

  /** Makes a new object durable before it is set; throws as {@link #encode}. Stores nothing yet. */
  public DurableObject keepFirst(
      OwnedObject object, @Nullable Object value, Durability durability) {
    DurableObject durable = new DurableObject(object.id(), value, FIRST_EPOCH, durability, this);
    var unused = durable.encode();
    keep(object, durable);
    return durable;
  }

  /** Makes an adopted object durable before it is set. */
  void keepNext(OwnedObject object, @Nullable Object value, int epoch, Durability durability) {
    keep(object, new DurableObject(object.id(), value, epoch, durability, this));
  }

  private void keep(OwnedObject object, DurableObject durable) {
    kept.add(durable);
    object.setDurable(durable);
  }

  @Override
  public void forget(DurableObject durable) {
    kept.remove(durable);
  }

  @Override
  public byte[] encode(RRefId id, @Nullable Object value) {
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
          "%s is durable, but its value has %s bytes, more than RRefOptions.maxDurableBytes=%s: keep"
                  .formatted(id, bytes.length, maxBytes)
              + " less in one object, or raise the limit");
    }
    return bytes;
  }

  // ---- Requests for checkpoints ----

  /** Stores an object, here or at its owner. */
  public CompletableFuture<Void> checkpoint(RRefHandle handle, Worker owner, Duration timeout) {
    if (owner.id() == context.self().id()) {
      return checkpoint(handle.id());
    }
    return context.call(owner, CHECKPOINT, List.of(WireIds.toLongs(handle.id())), timeout);
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

  /** Counts the uses of the durable arguments; WORKER_LOST if one is being handed over. */
  public void begin(Incoming request, IncomingForks received) {
    List<DurableObject> used = new ArrayList<>();
    request.attach(Uses.class, new Uses(used));
    received.needed().forEach(object -> begin(object, used));
    for (IncomingForks.Child child : received.children()) {
      if (child.handle().isDurable()) {
        begin(objects.find(child.handle().id()), used);
      }
    }
  }

  private static void begin(@Nullable OwnedObject object, List<DurableObject> used) {
    DurableObject durable = object == null ? null : object.durable();
    if (durable != null && !used.contains(durable)) {
      durable.beginUse();
      used.add(durable);
    }
  }

  /** Waits for the checkpoints, since the reply of a function that threw has no such stages. */
  public void threw(Incoming request) {
    List<CompletableFuture<?>> stages = new ArrayList<>(0);
    checkpointUsed(request, stages);
    try {
      stages.forEach(context::await);
    } catch (GridException e) {
      throw new GridException(
          e.status(), String.valueOf(e.getMessage()), true, e.remote(), e.getCause());
    }
  }

  /** Adds the checkpoints that must be stored before the reply leaves. */
  public static void checkpointUsed(Incoming request, List<CompletableFuture<?>> stages) {
    Uses uses = request.attachment(Uses.class);
    if (uses != null) {
      for (DurableObject object : uses.objects()) {
        if (object.isStoredWithEveryReply()) {
          stages.add(object.checkpoint());
        }
      }
    }
  }

  public void end(Incoming request) {
    Uses uses = request.attachment(Uses.class);
    if (uses != null) {
      uses.objects().forEach(DurableObject::endUse);
      uses.objects().clear();
    }
  }
}
