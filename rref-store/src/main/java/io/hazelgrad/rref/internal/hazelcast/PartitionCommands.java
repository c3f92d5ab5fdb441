package io.hazelgrad.rref.internal.hazelcast;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.map.impl.operation.EntryOperator;
import com.hazelcast.map.impl.operation.MapOperation;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.Registry;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Applies commands to entries of the partition on which an operation runs, one by one.
 *
 * <p>The map must have OBJECT format and no index, since Hazelcast copies indexed values first.
 */
final class PartitionCommands {
  private final CommandProcessor processor;
  private final EntryOperator operator;

  PartitionCommands(MapOperation operation, int tombstoneSeconds) {
    processor = new CommandProcessor(tombstoneSeconds);
    operator = EntryOperator.operator(operation, processor);
  }

  Registry.Result apply(RegistryBatchOperation.Step step) {
    processor.command = step.command();
    processor.result = null;
    var unused = operator.operateOnKey(step.key()).doPostOperateOps();
    return Objects.requireNonNull(processor.result, "the key belongs to another partition");
  }

  /** The entry processor through which Hazelcast gives access to the entry. */
  @SuppressWarnings("serial") // Never sent.
  private static final class CommandProcessor implements EntryProcessor<RRefId, Entry, Integer> {
    private final int tombstoneSeconds;
    private @Nullable Command command;
    private Registry.@Nullable Result result;

    CommandProcessor(int tombstoneSeconds) {
      this.tombstoneSeconds = tombstoneSeconds;
    }

    @Override
    public @Nullable Integer process(Map.Entry<RRefId, Entry> stored) {
      Entry before = stored.getValue();
      Registry.Result applied =
          Registry.apply(before == null ? Entry.ABSENT : before, Objects.requireNonNull(command));
      if (applied.changed()) {
        // Zero means for ever: an expected entry that becomes live must lose its time to live.
        int seconds = applied.entry().mayExpire() ? tombstoneSeconds : 0;
        ((ExtendedMapEntry<RRefId, Entry>) stored)
            .setValue(applied.entry(), seconds, TimeUnit.SECONDS);
      }
      result = applied;
      return null;
    }
  }
}
