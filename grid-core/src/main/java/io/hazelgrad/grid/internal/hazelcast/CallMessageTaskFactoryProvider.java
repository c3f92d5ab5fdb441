package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.MessageTaskFactory;
import com.hazelcast.client.impl.protocol.MessageTaskFactoryProvider;
import com.hazelcast.client.impl.protocol.task.AbstractMessageTask;
import com.hazelcast.cluster.Member;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.nio.Connection;
import com.hazelcast.internal.util.collection.Int2ObjectHashMap;
import com.hazelcast.spi.impl.NodeEngine;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.serve.Callee;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.security.Permission;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes the calls of clients in, on each member. Hazelcast finds it by the service loader. */
public final class CallMessageTaskFactoryProvider implements MessageTaskFactoryProvider {
  private final NodeEngine nodeEngine;

  /** For Hazelcast. */
  public CallMessageTaskFactoryProvider(NodeEngine nodeEngine) {
    this.nodeEngine = nodeEngine;
  }

  @Override
  public Int2ObjectHashMap<MessageTaskFactory> getFactories() {
    Int2ObjectHashMap<MessageTaskFactory> factories = new Int2ObjectHashMap<>();
    factories.put(
        CallMessage.REQUEST,
        (message, connection) -> new Task(message, nodeEngine.getNode(), connection));
    return factories;
  }

  /**
   * One call of a client. If it is for another member, since the client has no connection there, it
   * is passed on as a call between members is.
   */
  private static final class Task extends AbstractMessageTask<ClientMessage> {
    Task(ClientMessage message, Node node, Connection connection) {
      super(message, node, connection);
    }

    @Override
    protected ClientMessage decodeClientMessage(ClientMessage message) {
      return message; // Read below, where what is wrong with it becomes a reply.
    }

    @Override
    protected void processMessage() {
      try {
        Request request = CallMessage.readRequest(clientMessage);
        if (!request.caller().incarnation().equals(endpoint.getUuid())) {
          throw new GridException(
              Status.NOT_ALLOWED,
              "the caller of a client's message is the client itself, %s, and not %s"
                  .formatted(endpoint.getUuid(), request.caller().incarnation()));
        }
        deliver(CallMessage.target(clientMessage), request);
      } catch (GridException e) {
        sendResponse(Reply.failure(e));
      }
    }

    private void deliver(UUID target, Request request) {
      Member member = nodeEngine.getClusterService().getMember(target);
      if (member == null) {
        sendResponse(Reply.failure(Callee.left(request.callee())));
      } else if (member.localMember()) {
        RequestReceiver.deliver(nodeEngine.getHazelcastInstance(), request, this::sendResponse);
      } else {
        OperationTransport.send(
            nodeEngine.getOperationService(),
            member,
            request,
            reply -> sendResponse(passedOn(request, reply)));
      }
    }

    /** Explains a loss between members to the client, which sees only this member's reply. */
    private static Reply passedOn(Request request, Reply reply) {
      GridException failure = reply.failure();
      if (failure == null || !reply.isLost() || failure.status() != Status.WORKER_LOST) {
        return reply;
      }
      String message =
          "worker %s has left or was lost before it answered %s: %s"
              .formatted(request.callee().name(), request.function(), failure.getMessage());
      return Reply.failure(
          new GridException(Status.WORKER_LOST, message, failure.mayHaveRun(), null, failure));
    }

    @Override
    protected ClientMessage encodeResponse(Object reply) {
      return CallMessage.reply((Reply) reply);
    }

    @Override
    public String getServiceName() {
      return "hazelgrad";
    }

    @Override
    public String getMethodName() {
      return "call";
    }

    @Override
    public @Nullable String getDistributedObjectName() {
      return null;
    }

    @Override
    public @Nullable Permission getRequiredPermission() {
      return null; // Permissions are not part of the open-source edition.
    }

    @Override
    public Object @Nullable [] getParameters() {
      return null;
    }
  }
}
