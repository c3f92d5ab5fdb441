package io.hazelgrad.rref.internal.hazelcast;

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
import io.hazelgrad.rref.internal.object.StoredValues;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The map {@code hazelgrad.values}, which holds the checkpoints of durable objects. It has the keys
 * of the registry, so that a value lies on the same member as its entry.
 *
 * <p>A write counts when its backup has confirmed it. If a backup is silent for 5 s, for example on
 * a frozen member, Hazelcast reports an indeterminate state, and the value is written once more.
 */
public final class StoredValueMap implements StoredValues {
  private final GridContext context;
  private final IMap<RRefId, StoredValue> map;
  private final MessageKind storing;
  private final MessageKind taking;
  private final MessageKind removing;

  public StoredValueMap(GridContext context) {
    this.context = context;
    map = context.hazelcast().getMap(NAME);
    storing = context.messageKind("rref.store");
    taking = context.messageKind("rref.take");
    removing = context.messageKind("rref.unstore");
  }

  @Override
  public CompletableFuture<Boolean> store(RRefId id, StoredValue value) {
    return send(storing, id, StoredValueProcessor.store(value))
        .thenApply(stored -> stored != null && stored.epoch() == value.epoch());
  }

  @Override
  public CompletableFuture<@Nullable StoredValue> take(RRefId id, int epoch) {
    return send(taking, id, StoredValueProcessor.take(epoch));
  }

  @Override
  public CompletableFuture<@Nullable StoredValue> remove(RRefId id, int epoch) {
    return send(removing, id, StoredValueProcessor.remove(epoch));
  }

  private CompletableFuture<@Nullable StoredValue> send(
      MessageKind kind, RRefId id, StoredValueProcessor step) {
    return context.sending(kind, null, () -> invoke(id, step));
  }

  private CompletableFuture<@Nullable StoredValue> invoke(RRefId id, StoredValueProcessor step) {
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
    if (failure instanceof IndeterminateOperationStateException) { // The grid sends it again.
      throw new GridException(
          Status.TIMEOUT,
          "the backup of the value of %s did not confirm it; the value may be stored, and may be"
                  .formatted(id)
              + " lost with one member",
          true,
          null,
          failure);
    }
    if (failure != null) {
      throw new CompletionException(failure);
    }
    return engine.toObject(stored);
  }

  @Override
  public Set<RRefId> localKeys() {
    return map.localKeySet();
  }
}
