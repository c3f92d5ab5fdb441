package io.hazelgrad.rref.internal.registry;

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
 * Applies commands to entries of the partition that an operation runs on, one by one.
 *
 * <p>The map must be of OBJECT format and have no index: Hazelcast copies the whole value before
 * each change of a map of that format with an index.
 */
final class PartitionCommands {
  private final Applying applying;
  private final EntryOperator operator;

  PartitionCommands(MapOperation operation, int tombstoneSeconds) {
    applying = new Applying(tombstoneSeconds);
    operator = EntryOperator.operator(operation, applying);
  }

  Registry.Result apply(RegistryBatchOperation.Step step) {
    applying.command = step.command();
    applying.result = null;
    var unused = operator.operateOnKey(step.key()).doPostOperateOps();
    return Objects.requireNonNull(applying.result, "the key is of another partition");
  }

  /** What Hazelcast lets look at the entry; it stays in this operation. */
  @SuppressWarnings("serial") // Never sent.
  private static final class Applying implements EntryProcessor<RRefId, Entry, Integer> {
    private final int tombstoneSeconds;
    private @Nullable Command command;
    private Registry.@Nullable Result result;

    Applying(int tombstoneSeconds) {
      this.tombstoneSeconds = tombstoneSeconds;
    }

    @Override
    public @Nullable Integer process(Map.Entry<RRefId, Entry> stored) {
      Entry before = stored.getValue();
      Registry.Result applied =
          Registry.apply(before == null ? Entry.ABSENT : before, Objects.requireNonNull(command));
      if (applied.changed()) {
        // Zero is for ever: an expected entry that becomes live must lose its time to live.
        int seconds = applied.entry().mayExpire() ? tombstoneSeconds : 0;
        ((ExtendedMapEntry<RRefId, Entry>) stored)
            .setValue(applied.entry(), seconds, TimeUnit.SECONDS);
      }
      result = applied;
      return null;
    }
  }
}
