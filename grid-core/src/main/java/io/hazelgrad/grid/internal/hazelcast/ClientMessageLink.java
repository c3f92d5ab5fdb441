package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientInstanceImpl;
import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.RetryingTransport;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.concurrent.CompletableFuture;

/** Carries a client's requests as messages of the client protocol with types of our own. */
public final class ClientMessageLink implements RetryingTransport.Link {
  private final HazelcastClientInstanceImpl client;

  public ClientMessageLink(HazelcastInstance client) {
    this.client = implementation(client);
    HazelcastInternals.requireTriedVersion(client);
  }

  private static HazelcastClientInstanceImpl implementation(HazelcastInstance client) {
    if (client instanceof HazelcastClientProxy proxy) {
      return proxy.client;
    }
    throw Transport.wrapped(
        "a client of the grid needs a client", client, "HazelcastClient.newHazelcastClient(...)");
  }

  @Override
  public CompletableFuture<Reply> send(Worker to, Member member, Request request) {
    try {
      ClientMessage message = CallMessage.request(member.getUuid(), request);
      return new ClientInvocation(client, message, null, member.getUuid())
          .invoke()
          .thenApplyAsync(ClientMessageLink::read, Runnable::run);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Reply read(ClientMessage message) {
    try {
      return CallMessage.readReply(message);
    } catch (GridException e) {
      return Reply.failure(
          new GridException(e.status(), "a damaged reply: " + e.getMessage(), true, null, e));
    }
  }
}
