package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.partition.Partition;
import com.hazelcast.spi.exception.RetryableHazelcastException;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandCodec;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.protocol.Registry;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies commands to entries of one partition. The result for an entry holds the codes of the
 * replies to its commands, in order. The map must have OBJECT format and no index, since Hazelcast
 * copies indexed values first.
 *
 * <p>The backup repeats the commands instead of receiving the entries, because an entry may have
 * many forks. That is safe because commands are deterministic. Only commands that changed the
 * primary are repeated. Otherwise a backup whose tombstone expired a moment earlier could admit a
 * fork that the primary refused. A processor without commands has a backup that does nothing.
 */
public final class CommandProcessor
    implements EntryProcessor<RRefId, Entry, int[]>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {

  /** Hears on a partition thread of the entries that a member keeps and that have ended. */
  public interface EndListener {
    /** The key of a member's listener in the user context of its Hazelcast instance. */
    String KEY = "io.hazelgrad.rref.ended";

    void endedHere(RRefId id);
  }

  /** The time to live of a tombstone: longer than any command is retried. */
  static final int TOMBSTONE_SECONDS = 60;

  private static final Logger LOG = LoggerFactory.getLogger(CommandProcessor.class);

  /** The sender of what runs on a backup. */
  private static final UUID PRIMARY = new UUID(0, 0);

  private static final ThreadLocal<Boolean> ON_PARTITION_THREAD =
      ThreadLocal.withInitial(() -> false);

  private UUID sender;
  private CommandProof proof = CommandProof.NONE;
  private int tombstoneSeconds;
  private Map<RRefId, List<Command>> commands; // In an order that travels.
  private final Map<RRefId, List<Command>> changes = new LinkedHashMap<>();
  private @Nullable HazelcastInstance here;
  private boolean isSenderKnown;
  private boolean travelled;

  /** For the serializer. */
  public CommandProcessor() {
    this(PRIMARY, 0, new LinkedHashMap<>());
  }

  CommandProcessor(UUID sender, int tombstoneSeconds, Map<RRefId, List<Command>> commands) {
    this.sender = sender;
    this.tombstoneSeconds = tombstoneSeconds;
    this.commands = commands;
  }

  /** Adds the proof that the commands come from a worker with the grid's secret. */
  CommandProcessor prove(HazelcastInstance member) {
    Proofs proofs = Proofs.of(member);
    return proofs.areNeeded() ? prove(proofs, CommandProof.now(member)) : this;
  }

  CommandProcessor prove(Proofs proofs, long millis) {
    proof = CommandProof.of(proofs, purpose(), millis, bytes());
    return this;
  }

  private Proofs.Purpose purpose() {
    return isBackup() ? Proofs.Purpose.BACKUP : Proofs.Purpose.COMMANDS;
  }

  private boolean isBackup() {
    return sender.equals(PRIMARY);
  }

  /** Returns whether this is a thread that runs processors. It must neither wait nor submit. */
  static boolean isPartitionThread() {
    return ON_PARTITION_THREAD.get();
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    here = instance;
  }

  @Override
  public int[] process(Map.Entry<RRefId, Entry> stored) {
    ON_PARTITION_THREAD.set(true);
    HazelcastInstance member = Objects.requireNonNull(here);
    boolean primary = !isBackup();
    if (!isSenderKnown) {
      if (travelled) {
        requireProof(member, stored.getKey());
      }
      if (primary) {
        requireMember(member);
      }
      isSenderKnown = true;
    }
    RRefId id = stored.getKey();
    List<Command> all = commands.getOrDefault(id, List.of());
    List<Command> changing = new ArrayList<>(all.size());
    int[] codes = new int[all.size()];
    Entry entry = Objects.requireNonNullElse(stored.getValue(), Entry.ABSENT);
    for (int i = 0; i < codes.length; i++) {
      Registry.Result result = Registry.apply(entry, all.get(i));
      codes[i] = result.reply().toCode();
      if (result.changed()) {
        entry = result.entry();
        changing.add(all.get(i));
      }
    }
    if (!changing.isEmpty()) {
      changes.put(id, changing);
      // Zero means for ever: an expected entry that becomes live must lose its time to live.
      int seconds = entry.mayExpire() ? tombstoneSeconds : 0;
      ((ExtendedMapEntry<RRefId, Entry>) stored).setValue(entry, seconds, TimeUnit.SECONDS);
      if (primary && entry.state() == RRefState.GONE) {
        LOG.debug("{} ended with {}", id, changing);
        if (member.getUserContext().get(EndListener.KEY) instanceof EndListener listener) {
          listener.endedHere(id);
        }
      }
    }
    return codes;
  }

  /**
   * Refuses commands without a proof, and old ones, which may be sent once more by somebody who has
   * listened. A backup may be late, since its member has decided: it is refused only where it can
   * be none. Young commands may come twice in any case, and the second time they change nothing.
   */
  private void requireProof(HazelcastInstance member, RRefId key) {
    Proofs proofs = Proofs.of(member);
    if (!proofs.areNeeded() || commands.isEmpty()) {
      return;
    }
    proof.require(proofs, purpose(), bytes(), sender);
    if (!isBackup() || PartitionKeys.isHeldBy(partition(member, key), local(member))) {
      proof.requireYoung(CommandProof.now(member), sender);
    }
  }

  private static Partition partition(HazelcastInstance member, RRefId key) {
    return member.getPartitionService().getPartition(key.getPartitionKey());
  }

  private static UUID local(HazelcastInstance member) {
    return member.getCluster().getLocalMember().getUuid();
  }

  /**
   * Refuses commands that a member sent before it was cut off. Hazelcast sends them again when the
   * member is back under another UUID. By then the sender's view of the dead workers is out of
   * date.
   */
  private void requireMember(HazelcastInstance member) {
    if (member.getCluster().getMembers().stream().noneMatch(is -> is.getUuid().equals(sender))) {
      throw member.getLifecycleService().isRunning()
          ? new IllegalStateException(
              commands.size() + " commands come from " + sender + ", which is no member")
          // This member is shutting down and knows no members any more; another one does.
          : new RetryableHazelcastException("the member that keeps the entry is going down");
    }
  }

  @Override
  @SuppressWarnings("NullAway") // Null is no backup; the type of the interface does not say so.
  public EntryProcessor<RRefId, Entry, int[]> getBackupProcessor() {
    return changes.isEmpty() && !commands.isEmpty()
        ? null
        : new CommandProcessor(PRIMARY, tombstoneSeconds, changes)
            .prove(Objects.requireNonNull(here));
  }

  @Override
  public int getFactoryId() {
    return TypeIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return TypeIds.COMMAND_PROCESSOR;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    write(out);
    proof.write(out);
  }

  private byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private void write(DataOutput out) throws IOException {
    out.writeLong(sender.getMostSignificantBits());
    out.writeLong(sender.getLeastSignificantBits());
    out.writeInt(tombstoneSeconds);
    out.writeInt(commands.size());
    for (Map.Entry<RRefId, List<Command>> each : commands.entrySet()) {
      each.getKey().write(out);
      out.writeInt(each.getValue().size());
      for (Command command : each.getValue()) {
        CommandCodec.write(command, out);
      }
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    sender = new UUID(in.readLong(), in.readLong());
    tombstoneSeconds = in.readInt();
    for (int keys = readCount(in); keys > 0; keys--) {
      RRefId id = new RRefId(0, 0, 0);
      id.readData(in);
      int count = readCount(in);
      List<Command> all = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        all.add(CommandCodec.read(in));
      }
      commands.put(id, all);
    }
    proof = CommandProof.read(in);
    travelled = true;
  }

  private static int readCount(ObjectDataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > CommandBatches.MOST) {
      throw new IOException("A batch cannot have " + count + " commands");
    }
    return count;
  }
}
