package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the replies that a worker keeps for a client, and waits a moment if there are none. The
 * result is null if the worker is not there.
 */
public final class PollTask extends GridTask<@Nullable ReplyBatch> {
  private @Nullable UUID caller;
  private long worker;
  private long after;

  /** For the serializer. */
  public PollTask() {}

  /** Creates a task; replies up to the one that was {@code after} have arrived. */
  PollTask(UUID caller, Worker worker, long after) {
    this.caller = caller;
    this.worker = worker.id();
    this.after = after;
  }

  @Override
  public @Nullable ReplyBatch call() throws InterruptedException {
    TaskEndpoint endpoint = endpoint();
    return endpoint == null || !endpoint.isOf(worker)
        ? null
        : endpoint.poll(Objects.requireNonNull(caller), after);
  }

  @Override
  public int getClassId() {
    return SerializerIds.POLL_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    ReplyAddress.write(Objects.requireNonNull(caller), out);
    out.writeLong(worker);
    out.writeLong(after);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    caller = ReplyAddress.readId(in);
    worker = in.readLong();
    after = in.readLong();
  }
}
