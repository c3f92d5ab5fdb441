package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.exception.TargetNotMemberException;
import com.hazelcast.spi.impl.operationservice.CallStatus;
import com.hazelcast.spi.impl.operationservice.ExceptionAction;
import com.hazelcast.spi.impl.operationservice.Offload;
import com.hazelcast.spi.impl.operationservice.Operation;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request on its way between two members, as an operation of Hazelcast. There it only hands the
 * request to the grid; the reply goes out when it is ready. While it is under way, Hazelcast's
 * heartbeats of operations tell the caller that the callee lives, so no timeout of Hazelcast's own
 * ends a long call.
 *
 * <p>Hazelcast sends an operation again only if it did not start: it was never written to a
 * connection, or the member refused it before {@link #call}. So one request runs once.
 */
public final class CallOperation extends Operation implements IdentifiedDataSerializable {
  private static final Logger LOG = LoggerFactory.getLogger(CallOperation.class);

  private @Nullable Request request;

  /** For the serializer. */
  public CallOperation() {}

  CallOperation(Request request) {
    this.request = request;
  }

  private Request request() {
    return Objects.requireNonNull(request);
  }

  @Override
  public CallStatus call() {
    return new Offload(this) {
      @Override
      public void start() {
        RequestReceiver.deliver(
            nodeEngine.getHazelcastInstance(), request(), CallOperation.this::reply);
      }
    };
  }

  private void reply(Reply reply) {
    try {
      sendResponse(reply.to(request().id()));
    } catch (RuntimeException e) { // The caller hears of its loss, or ends at its deadline.
      LOG.debug("{} could not be answered", request, e);
    }
  }

  /** A worker that left is lost; everything else that can be tried again has not started. */
  @Override
  public ExceptionAction onInvocationException(Throwable thrown) {
    return thrown instanceof TargetNotMemberException
        ? ExceptionAction.THROW_EXCEPTION
        : super.onInvocationException(thrown);
  }

  @Override
  public int getFactoryId() {
    return SerializerIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return SerializerIds.CALL;
  }

  @Override
  protected void writeInternal(ObjectDataOutput out) throws IOException {
    request().write(out);
  }

  @Override
  protected void readInternal(ObjectDataInput in) throws IOException {
    request = Request.read(in);
  }
}
