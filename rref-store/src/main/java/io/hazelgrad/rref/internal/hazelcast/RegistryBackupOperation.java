package io.hazelgrad.rref.internal.hazelcast;

import com.hazelcast.map.impl.operation.MapOperation;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.spi.impl.operationservice.BackupOperation;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import java.io.IOException;
import java.util.List;

/** Repeats on a backup the commands of a {@link RegistryBatchOperation} that changed an entry. */
final class RegistryBackupOperation extends MapOperation implements BackupOperation {
  private int tombstoneSeconds;
  private List<RegistryBatchOperation.Step> changes = List.of();

  /** For the serializer. */
  RegistryBackupOperation() {}

  RegistryBackupOperation(
      String map, List<RegistryBatchOperation.Step> changes, int tombstoneSeconds) {
    super(map);
    this.changes = changes;
    this.tombstoneSeconds = tombstoneSeconds;
  }

  @Override
  protected void runInternal() {
    PartitionCommands entries = new PartitionCommands(this, tombstoneSeconds);
    changes.forEach(entries::apply);
  }

  @Override
  public Object getResponse() {
    return true;
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.REGISTRY_BACKUP;
  }

  @Override
  protected void writeInternal(ObjectDataOutput out) throws IOException {
    super.writeInternal(out);
    out.writeInt(tombstoneSeconds);
    RegistryBatchOperation.write(changes, out);
  }

  @Override
  protected void readInternal(ObjectDataInput in) throws IOException {
    super.readInternal(in);
    tombstoneSeconds = in.readInt();
    changes = RegistryBatchOperation.read(in);
  }
}
