package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientBatch;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A host's reply to a batch of gradients. An error that would fail the pass again is no reply: it
 * fails the call.
 *
 * @param lost the reason if the host could not reach another host, or null
 * @param isLast whether the host's part is done; told only to the coordinator
 * @param messages the gradients that the sender of the batch takes in the next wave
 */
record GradientBatchReply(@Nullable String lost, boolean isLast, List<GradientMessage> messages) {
  private static final Set<Status> TRANSPORT =
      Set.of(Status.WORKER_LOST, Status.REJECTED, Status.INTENTIONAL_FAILURE);

  /** Returns the reply of a host that could not reach another host. */
  static List<@Nullable Object> lost(String reason) {
    return new GradientBatchReply(reason, false, List.of()).write();
  }

  /** Returns the reply to a host that only began its part. */
  static List<@Nullable Object> empty() {
    return new GradientBatchReply(null, false, List.of()).write();
  }

  List<@Nullable Object> write() {
    WireOutput head = new WireOutput();
    head.bool(lost != null);
    if (lost != null) {
      head.utf(lost);
    }
    head.bool(isLast);
    return GradientBatch.write(head, messages);
  }

  static GradientBatchReply read(@Nullable Object values) {
    GradientBatch batch = GradientBatch.read(values);
    String lost = batch.head().bool() ? batch.head().utf() : null;
    return new GradientBatchReply(lost, batch.head().bool(), batch.gradients());
  }

  /** Returns the outcome for a batch whose call failed: whether another attempt may succeed. */
  static AttemptOutcome outcomeOf(Throwable failure) {
    if (!(failure instanceof GridException known)) {
      return AttemptOutcome.failed(Status.INTERNAL, String.valueOf(failure), failure);
    }
    return known.remote() == null && TRANSPORT.contains(known.status())
        ? new AttemptOutcome.MemberLost(String.valueOf(known.getMessage()))
        : new AttemptOutcome.Failed(known);
  }
}
