package io.hazelgrad.rref.internal.durable;

import com.hazelcast.core.IndeterminateOperationStateException;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.operation.MapOperation;
import com.hazelcast.spi.impl.AbstractDistributedObject;
import com.hazelcast.spi.impl.NodeEngine;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of durable objects as this member uses them: the map {@code hazelgrad.values}.
 * The keys are those of the registry, so that a value lies beside its entry.
 *
 * <p>What is written counts when its backup has confirmed it. Hazelcast answers after 5 s all the
 * same where a backup is silent, as that of a frozen member is; then it is written once more.
 */
public final class StoredValueMap {
  public static final String NAME = "hazelgrad.values";

  private final GridContext context;
  private final IMap<RRefId, StoredValue> map;
  private final MessageKind storing;
  private final MessageKind taking;
  private final MessageKind removing;

  StoredValueMap(GridContext context) {
    this.context = context;
    map = context.hazelcast().getMap(NAME);
    storing = context.messageKind("rref.store");
    taking = context.messageKind("rref.take");
    removing = context.messageKind("rref.unstore");
  }

  /** Stores a value; false if the object has a later owner. */
  CompletableFuture<Boolean> store(RRefId id, StoredValue value) {
    return send(storing, id, StoredValueProcessor.store(value))
        .thenApply(stored -> stored != null && stored.epoch() == value.epoch());
  }

  /**
   * Reads the value for the owner of an epoch, so that earlier ones cannot store any more.
   *
   * @return null if there is none; one of a later epoch if there is a later owner
   */
  CompletableFuture<@Nullable StoredValue> take(RRefId id, int epoch) {
    return send(taking, id, StoredValueProcessor.take(epoch));
  }

  /** Removes a value, unless it is one of a later owner. */
  CompletableFuture<@Nullable StoredValue> remove(RRefId id, int epoch) {
    return send(removing, id, StoredValueProcessor.remove(epoch));
  }

  private CompletableFuture<@Nullable StoredValue> send(
      MessageKind kind, RRefId id, StoredValueProcessor step) {
    return context.sending(kind, null, () -> write(id, step));
  }

  private CompletableFuture<@Nullable StoredValue> write(RRefId id, StoredValueProcessor step) {
    NodeEngine engine = ((AbstractDistributedObject<?>) map).getNodeEngine();
    MapService service = engine.getService(MapService.SERVICE_NAME);
    Data key = engine.toData(id);
    MapOperation operation =
        service
            .getMapServiceContext()
            .getMapOperationProvider(NAME)
            .createEntryOperation(NAME, key, step);
    int partition = engine.getPartitionService().getPartitionId(key);
    return engine
        .getOperationService()
        .createInvocationBuilder(MapService.SERVICE_NAME, operation, partition)
        .setFailOnIndeterminateOperationState(true)
        .setAsync() // Allowed on any thread.
        .<@Nullable Object>invoke()
        .handleAsync((stored, failure) -> confirmed(id, engine, stored, failure), Runnable::run);
  }

  private static @Nullable StoredValue confirmed(
      RRefId id, NodeEngine engine, @Nullable Object stored, @Nullable Throwable failure) {
    if (failure instanceof IndeterminateOperationStateException) { // To be sent again.
      throw new GridException(
          Status.TIMEOUT,
          "the backup of the value of "
              + id
              + " did not confirm it; it may be stored or not, and be lost with one member",
          true,
          null,
          failure);
    }
    if (failure != null) {
      throw new CompletionException(failure);
    }
    return engine.toObject(stored);
  }

  /** Returns the names of those values that lie on this member, not as backups. */
  Set<RRefId> localKeys() {
    return map.localKeySet();
  }

  /** Returns how many values there are in the grid. Asks every member. */
  int size() {
    return map.size();
  }
}
