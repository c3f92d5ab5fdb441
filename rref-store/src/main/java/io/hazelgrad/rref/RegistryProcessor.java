package io.hazelgrad.rref;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.exception.RetryableHazelcastException;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries one command to the entry of an RRef and applies it there; the result is the code of a
 * {@link Reply}.
 *
 * <p>The backup repeats the command instead of receiving the entry, whose forks may be many. That
 * is safe because the command is deterministic, and it happens only when the primary changed, so
 * that the backup sees exactly the primary's changes: a tombstone that ended a moment earlier on
 * the backup can then not admit there what the primary refused.
 *
 * <p>The map must be of OBJECT format and have no index: Hazelcast copies the whole value before
 * each entry processor of a map of that format with an index.
 */
final class RegistryProcessor
    implements EntryProcessor<RRefId, Entry, Integer>,
        HazelcastInstanceAware,
        IdentifiedDataSerializable {
  /** How long a tombstone stays by default: longer than any command is repeated. */
  static final int TOMBSTONE_SECONDS = 60;

  private Command command;
  private int tombstoneSeconds;

  /** The member whose command it is; null on backups, which do as the primary did. */
  private @Nullable UUID sender;

  private @Nullable HazelcastInstance hazelcast;

  // Never set back: Hazelcast may use one processor for several keys, and on several threads.
  private volatile boolean changed;

  RegistryProcessor() {
    this(new Command.HolderLost(Entry.NO_OWNER), TOMBSTONE_SECONDS);
  }

  RegistryProcessor(Command command, int tombstoneSeconds) {
    this(command, tombstoneSeconds, null);
  }

  RegistryProcessor(Command command, int tombstoneSeconds, @Nullable UUID sender) {
    this.command = command;
    this.tombstoneSeconds = tombstoneSeconds;
    this.sender = sender;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    hazelcast = instance;
  }

  /**
   * Makes the refusal of what a member sent before it was cut off. Hazelcast repeats such
   * operations when the member is back, under another UUID; by then its view of who had died is
   * long wrong.
   *
   * @param what says in the error what it is about
   */
  static RuntimeException noMember(UUID sender, HazelcastInstance here, Object what) {
    return here.getLifecycleService().isRunning()
        ? new IllegalStateException(what + " comes from " + sender + ", which is no member")
        // It has forgotten all members; another knows.
        : new RetryableHazelcastException("the member that keeps the entry is going down");
  }

  @Override
  public Integer process(Map.Entry<RRefId, Entry> stored) {
    UUID from = sender;
    HazelcastInstance here = hazelcast;
    if (from != null
        && here != null
        && here.getCluster().getMembers().stream().noneMatch(m -> m.getUuid().equals(from))) {
      throw noMember(from, here, command);
    }
    Registry.Result result = apply(stored, command, tombstoneSeconds);
    if (result.changed()) {
      changed = true;
    }
    return result.reply().toCode();
  }

  /** Applies a command to an entry of the map, which is changed if the command says so. */
  static Registry.Result apply(
      Map.Entry<RRefId, Entry> stored, Command command, int tombstoneSeconds) {
    @Nullable Entry before = stored.getValue();
    Registry.Result result = Registry.apply(before == null ? Entry.ABSENT : before, command);
    if (result.changed()) {
      // Zero is for ever: an expected entry that becomes live must lose its time to live.
      int seconds = result.entry().mayExpire() ? tombstoneSeconds : 0;
      ((ExtendedMapEntry<RRefId, Entry>) stored)
          .setValue(result.entry(), seconds, TimeUnit.SECONDS);
    }
    return result;
  }

  @Override
  public @Nullable EntryProcessor<RRefId, Entry, Integer> getBackupProcessor() {
    return changed ? new RegistryProcessor(command, tombstoneSeconds) : null;
  }

  @Override
  public int getFactoryId() {
    return RRefSerializerFactory.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return RRefSerializerFactory.REGISTRY_PROCESSOR;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    CommandCodec.write(command, out);
    out.writeInt(tombstoneSeconds);
    UUID from = sender;
    out.writeBoolean(from != null);
    if (from != null) {
      out.writeLong(from.getMostSignificantBits());
      out.writeLong(from.getLeastSignificantBits());
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    command = CommandCodec.read(in);
    tombstoneSeconds = in.readInt();
    sender = in.readBoolean() ? new UUID(in.readLong(), in.readLong()) : null;
  }

  @Override
  public String toString() {
    return command.toString();
  }
}
