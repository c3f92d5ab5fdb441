package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.nio.IOUtil;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.operation.MapOperation;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.spi.exception.RetryableHazelcastException;
import com.hazelcast.spi.impl.NodeEngine;
import com.hazelcast.spi.impl.operationservice.BackupAwareOperation;
import com.hazelcast.spi.impl.operationservice.MutatingOperation;
import com.hazelcast.spi.impl.operationservice.Operation;
import com.hazelcast.spi.impl.operationservice.PartitionAwareOperation;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandCodec;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.Registry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands for entries of one partition, applied one after the other, with one backup for all of
 * them. The response is the codes of their replies, in the same order.
 *
 * <p>It is an operation of Hazelcast's map service: what holds there for an entry processor, the
 * protection against splits, migrations, the sending again, holds for it too. The public ways to
 * several keys have asynchronous backups only, so that a member's death could undo a claim that was
 * answered.
 *
 * <p>The backup repeats the commands instead of receiving the entries, whose forks may be many.
 * That is safe because commands are deterministic, and only those are repeated that changed the
 * primary, so that the backup sees exactly the primary's changes: a tombstone that ended a moment
 * earlier on the backup can then not admit there what the primary refused.
 */
final class RegistryBatchOperation extends MapOperation
    implements MutatingOperation, PartitionAwareOperation, BackupAwareOperation {

  private static final Logger LOG = LoggerFactory.getLogger(RegistryBatchOperation.class);

  /** How long a tombstone stays by default: longer than any command is repeated. */
  static final int TOMBSTONE_SECONDS = 60;

  /** A command and the key of its entry. */
  record Step(Data key, Command command) {}

  private UUID sender;
  private int tombstoneSeconds;
  private List<Step> steps;
  private int[] replies = {};
  private List<Step> changes = List.of();

  /** For the serializer. */
  RegistryBatchOperation() {
    this("", List.of(), 0, new UUID(0, 0));
  }

  RegistryBatchOperation(String map, List<Step> steps, int tombstoneSeconds, UUID sender) {
    super(map);
    this.steps = steps;
    this.tombstoneSeconds = tombstoneSeconds;
    this.sender = sender;
  }

  /** Sends it to where a partition is; the future ends on any thread. */
  CompletableFuture<int[]> sendTo(int partition, NodeEngine from) {
    return from.getOperationService()
        .createInvocationBuilder(MapService.SERVICE_NAME, this, partition)
        .setAsync() // Allowed on any thread, also on those of partitions.
        .invoke();
  }

  @Override
  protected void runInternal() {
    NodeEngine here = getNodeEngine();
    if (here.getClusterService().getMember(sender) == null) {
      throw noMember(here.getHazelcastInstance());
    }
    PartitionCommands entries = new PartitionCommands(this, tombstoneSeconds);
    int[] codes = new int[steps.size()];
    List<Step> changed = new ArrayList<>(codes.length);
    List<RRefId> gone = new ArrayList<>();
    for (int i = 0; i < codes.length; i++) {
      Registry.Result result = entries.apply(steps.get(i));
      codes[i] = result.reply().toCode();
      if (result.changed()) {
        changed.add(steps.get(i));
        if (result.entry().state() == RRefState.GONE) {
          RRefId id = here.toObject(steps.get(i).key());
          gone.add(id);
          LOG.debug("{} ended with {}", id, steps.get(i).command());
        }
      }
    }
    replies = codes;
    changes = changed;
    DropHints.goneHere(here.getHazelcastInstance(), gone);
  }

  /**
   * Makes the refusal of what a member sent before it was cut off. Hazelcast repeats such
   * operations when the member is back, under another UUID; by then its view of who had died is
   * long wrong.
   */
  private RuntimeException noMember(HazelcastInstance here) {
    return here.getLifecycleService().isRunning()
        ? new IllegalStateException(this + " comes from " + sender + ", which is no member")
        // It has forgotten all members; another knows.
        : new RetryableHazelcastException("the member that keeps the entry is going down");
  }

  @Override
  public Object getResponse() {
    return replies;
  }

  @Override
  public boolean shouldBackup() {
    return mapContainer.getTotalBackupCount() > 0 && !changes.isEmpty();
  }

  @Override
  public int getSyncBackupCount() {
    return mapContainer.getBackupCount();
  }

  @Override
  public int getAsyncBackupCount() {
    return mapContainer.getAsyncBackupCount();
  }

  @Override
  public Operation getBackupOperation() {
    return new RegistryBackupOperation(name, changes, tombstoneSeconds);
  }

  @Override
  public int getFactoryId() {
    return RRefSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return RRefSerializerFactory.REGISTRY_BATCH;
  }

  @Override
  protected void writeInternal(ObjectDataOutput out) throws IOException {
    super.writeInternal(out);
    out.writeLong(sender.getMostSignificantBits());
    out.writeLong(sender.getLeastSignificantBits());
    out.writeInt(tombstoneSeconds);
    write(steps, out);
  }

  @Override
  protected void readInternal(ObjectDataInput in) throws IOException {
    super.readInternal(in);
    sender = new UUID(in.readLong(), in.readLong());
    tombstoneSeconds = in.readInt();
    steps = read(in);
  }

  static void write(List<Step> steps, ObjectDataOutput out) throws IOException {
    out.writeInt(steps.size());
    for (Step step : steps) {
      IOUtil.writeData(out, step.key());
      CommandCodec.write(step.command(), out);
    }
  }

  static List<Step> read(ObjectDataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > CommandBatches.MOST) {
      throw new IOException("A batch cannot have " + count + " commands");
    }
    List<Step> steps = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      steps.add(new Step(IOUtil.readData(in), CommandCodec.read(in)));
    }
    return steps;
  }

  @Override
  protected void toString(StringBuilder text) {
    super.toString(text);
    text.append(", commands=").append(steps.size());
  }
}
