package io.hazelgrad.rref.internal.durable;

import com.hazelcast.map.IMap;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.OwnMap;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.object.StoredValues;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The map {@code hazelgrad.values}, which holds the checkpoints of durable objects. It has the keys
 * of the registry, so that a value lies on the same member as its entry.
 *
 * <p>A write counts when its backup has confirmed it. If a backup is silent, for example on a
 * frozen member, Hazelcast answers without it after 5 s ({@code
 * hazelcast.operation.backup.timeout.millis}) and does not say so. An answer that took as long does
 * not count, and the value is written again.
 */
public final class StoredValueMap implements StoredValues {
  private final GridContext context;
  private final Executor background;
  private final long backupTimeoutMillis;
  private final IMap<RRefId, StoredValue> map;
  private final MessageKind storing;
  private final MessageKind taking;
  private final MessageKind removing;

  public StoredValueMap(GridContext context) {
    this.context = context;
    background = new BackgroundRunner(context);
    backupTimeoutMillis = OwnMap.backupTimeoutMillis(context);
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

  private CompletionStage<@Nullable StoredValue> invoke(RRefId id, StoredValueProcessor step) {
    long start = System.currentTimeMillis(); // Hazelcast's clock, too.
    return BackgroundRunner.submit(background, () -> map.submitToKey(id, step))
        .thenApplyAsync(stored -> confirmed(id, start, stored), Runnable::run);
  }

  private @Nullable StoredValue confirmed(RRefId id, long start, @Nullable StoredValue stored) {
    if (System.currentTimeMillis() - start < backupTimeoutMillis) {
      return stored;
    }
    throw new GridException( // The grid sends it again.
        Status.TIMEOUT,
        "the backup of the value of %s did not confirm it within %s ms; the value may be stored, and"
                .formatted(id, backupTimeoutMillis)
            + " may be lost with one member",
        true,
        null,
        null);
  }

  @Override
  public Set<RRefId> localKeys() {
    return map.localKeySet();
  }
}
