package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Brings replies to the member of their caller. To do so twice does no harm. */
public final class ReplyTask extends GridTask<Boolean> {
  private @Nullable UUID caller;
  private ReplyBatch batch = new ReplyBatch();

  /** For the serializer. */
  public ReplyTask() {}

  ReplyTask(UUID caller, ReplyBatch batch) {
    this.caller = caller;
    this.batch = batch;
  }

  /** {@inheritDoc} Returns whether the caller was there. */
  @Override
  public Boolean call() {
    TaskEndpoint endpoint = endpoint();
    return endpoint != null && endpoint.replied(Objects.requireNonNull(caller), batch);
  }

  @Override
  public int getClassId() {
    return SerializerIds.REPLY_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    ReplyAddress.write(Objects.requireNonNull(caller), out);
    batch.writeData(out);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    caller = ReplyAddress.readId(in);
    batch.readData(in);
  }
}
