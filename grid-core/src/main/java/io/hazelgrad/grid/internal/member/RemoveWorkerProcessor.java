package io.hazelgrad.grid.internal.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Removes a worker from the directory if the member that keeps the entry, too, has lost the
 * worker's member. A member that was cut off believes for a moment that the others died, and
 * Hazelcast may repeat its removals when it is back.
 */
public final class RemoveWorkerProcessor
    implements EntryProcessor<String, @Nullable Worker, Boolean>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {
  private UUID incarnation;

  /** True if the primary has removed the worker; a backup then does not look at the members. */
  private boolean decided;

  private @Nullable HazelcastInstance hazelcast;

  /** For the serializer. */
  public RemoveWorkerProcessor() {
    this(new UUID(0, 0));
  }

  RemoveWorkerProcessor(UUID incarnation) {
    this.incarnation = incarnation;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    hazelcast = instance;
  }

  @Override
  public Boolean process(Map.Entry<String, @Nullable Worker> entry) {
    Worker worker = entry.getValue();
    if (worker == null || !worker.incarnation().equals(incarnation) || isMember()) {
      return false;
    }
    entry.setValue(null);
    decided = true;
    return true;
  }

  private boolean isMember() {
    HazelcastInstance here = hazelcast;
    return !decided
        && here != null
        && here.getCluster().getMembers().stream().anyMatch(m -> m.getUuid().equals(incarnation));
  }

  @Override
  public @Nullable EntryProcessor<String, @Nullable Worker, Boolean> getBackupProcessor() {
    return decided ? this : null;
  }

  @Override
  public int getFactoryId() {
    return SerializerIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return SerializerIds.REMOVE_LOST;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(incarnation.getMostSignificantBits());
    out.writeLong(incarnation.getLeastSignificantBits());
    out.writeBoolean(decided);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    incarnation = new UUID(in.readLong(), in.readLong());
    decided = in.readBoolean();
  }
}
