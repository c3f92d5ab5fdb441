package io.hazelgrad.rref.internal.hazelcast;

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
import io.hazelgrad.rref.internal.object.DropHints;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandCodec;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.Registry;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import io.hazelgrad.rref.internal.registry.CommandBatches;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A batch of commands for entries of one partition. They are applied one after the other and have
 * one backup together. The response holds the codes of their replies, in the same order.
 *
 * <p>This is an operation of Hazelcast's map service, so it has the same split-brain protection,
 * retries and safety during migrations as an entry processor. Public API for several keys has
 * asynchronous backups only: the death of a member could undo a claim that was answered.
 *
 * <p>The backup repeats the commands instead of receiving the entries, because an entry may have
 * many forks. That is safe because commands are deterministic. Only commands that changed the
 * primary are repeated. Otherwise a backup whose tombstone expired a moment earlier could admit a
 * fork that the primary refused.
 */
final class RegistryBatchOperation extends MapOperation
    implements MutatingOperation, PartitionAwareOperation, BackupAwareOperation {

  private static final Logger LOG = LoggerFactory.getLogger(RegistryBatchOperation.class);

  /** The time to live of a tombstone: longer than any command is retried. */
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

  /** Sends the batch to the member that keeps a partition; the future ends on any thread. */
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
      throw unknownSender(here.getHazelcastInstance());
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
    if (!gone.isEmpty()
        && here.getHazelcastInstance().getUserContext().get(DropHints.KEY)
            instanceof DropHints hints) {
      hints.endedHere(gone);
    }
  }

  /**
   * Creates the refusal of a batch that a member sent before it was cut off. Hazelcast sends it
   * again when the member is back under another UUID. By then the sender's view of the dead workers
   * is out of date.
   */
  private RuntimeException unknownSender(HazelcastInstance here) {
    return here.getLifecycleService().isRunning()
        ? new IllegalStateException(this + " comes from " + sender + ", which is no member")
        // This member is shutting down and knows no members any more; another one does.
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
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.REGISTRY_BATCH;
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
