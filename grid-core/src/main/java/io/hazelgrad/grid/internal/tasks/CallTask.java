package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.internal.serve.Callee;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way to a worker. The result is the reply, or null if the reply is late.
 *
 * <p>Hazelcast sends a task again only if it did not start, so one task runs once.
 */
public final class CallTask extends GridTask<@Nullable Reply> {
  private @Nullable Request request;
  private @Nullable ReplyAddress replyTo;

  /** For the serializer. */
  public CallTask() {}

  CallTask(Request request, ReplyAddress replyTo) {
    this.request = request;
    this.replyTo = replyTo;
  }

  @Override
  public @Nullable Reply call() {
    Request received = Objects.requireNonNull(request);
    TaskEndpoint endpoint = endpoint();
    return endpoint == null
        ? Reply.failure(Callee.left(received.callee())).to(received.id())
        : endpoint.call(received, Objects.requireNonNull(replyTo));
  }

  @Override
  public int getClassId() {
    return SerializerIds.CALL_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Objects.requireNonNull(request).write(out);
    Objects.requireNonNull(replyTo).write(out);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    request = Request.read(in);
    replyTo = ReplyAddress.read(in);
  }
}
