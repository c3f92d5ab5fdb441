package io.hazelgrad.rref;

import com.hazelcast.map.IMap;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of durable objects as this member uses them: the map {@code hazelgrad.values}.
 * The keys are those of the registry, so that a value lies beside its entry.
 */
final class ValueMap {
  static final String NAME = "hazelgrad.values";

  private final GridContext context;
  private final IMap<RRefId, StoredValue> map;
  private final MessageKind storing;
  private final MessageKind taking;
  private final MessageKind removing;

  ValueMap(GridContext context) {
    this.context = context;
    map = context.hazelcast().getMap(NAME);
    storing = context.messageKind("rref.store");
    taking = context.messageKind("rref.take");
    removing = context.messageKind("rref.unstore");
  }

  /** Stores a value; false if the object has a later owner. */
  CompletableFuture<Boolean> store(RRefId id, StoredValue value) {
    return send(storing, id, ValueProcessor.store(value))
        .thenApply(stored -> stored != null && stored.epoch() == value.epoch());
  }

  /**
   * Reads the value for the owner of an epoch, so that earlier ones cannot store any more.
   *
   * @return null if there is none; one of a later epoch if there is a later owner
   */
  CompletableFuture<@Nullable StoredValue> take(RRefId id, int epoch) {
    return send(taking, id, ValueProcessor.take(epoch));
  }

  /** Removes a value, unless it is one of a later owner. */
  CompletableFuture<@Nullable StoredValue> remove(RRefId id, int epoch) {
    return send(removing, id, ValueProcessor.remove(epoch));
  }

  private CompletableFuture<@Nullable StoredValue> send(
      MessageKind kind, RRefId id, ValueProcessor step) {
    return context.sending(kind, null, () -> map.submitToKey(id, step));
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
