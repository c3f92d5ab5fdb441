package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Outbox;
import com.hazelcast.jet.core.Processor;
import com.hazelcast.jet.core.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a stream's source while a job waits for trainers: emits nothing, and saves again
 * what it restored.
 */
final class SnapshotKeeper implements Processor {
  private final List<Map.Entry<?, ?>> kept = new ArrayList<>();
  private @Nullable Outbox outbox;
  private int saved;

  @Override
  public void init(Outbox jetOutbox, Context context) {
    outbox = jetOutbox;
  }

  @Override
  public boolean complete() {
    return false;
  }

  @Override
  public boolean tryProcessWatermark(Watermark watermark) {
    return true;
  }

  @Override
  public void restoreFromSnapshot(Inbox inbox) {
    for (Object item = inbox.poll(); item != null; item = inbox.poll()) {
      kept.add((Map.Entry<?, ?>) item);
    }
  }

  @Override
  public boolean saveToSnapshot() {
    for (; saved < kept.size(); saved++) {
      Map.Entry<?, ?> entry = kept.get(saved);
      if (!Objects.requireNonNull(outbox).offerToSnapshot(entry.getKey(), entry.getValue())) {
        return false;
      }
    }
    saved = 0;
    return true;
  }
}
