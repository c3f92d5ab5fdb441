package io.hazelgrad.rref.internal.object;

import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The checkpoints of durable objects, as this member uses them. */
public interface StoredValues {
  /** The name of the map. */
  String NAME = "hazelgrad.values";

  /** Stores a value; false if the object has a later owner. */
  CompletableFuture<Boolean> store(RRefId id, StoredValue value);

  /**
   * Reads the value for the owner of an epoch. Earlier owners cannot store from then on.
   *
   * @return null if there is none; one of a later epoch if there is a later owner
   */
  CompletableFuture<@Nullable StoredValue> take(RRefId id, int epoch);

  /** Removes a value, unless it is one of a later owner. */
  CompletableFuture<@Nullable StoredValue> remove(RRefId id, int epoch);

  /** Returns the ids of the values whose primary copy lies on this member. */
  Set<RRefId> localKeys();
}
