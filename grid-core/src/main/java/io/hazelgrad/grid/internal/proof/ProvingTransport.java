package io.hazelgrad.grid.internal.proof;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.UUID;
import java.util.function.Consumer;

/** Adds proofs to the requests to other workers, and checks those of their replies. */
record ProvingTransport(Transport way, CallProofs proofs) implements Transport {
  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    if (to.id() == request.caller().id()) {
      way.send(to, member, request, replyTo);
    } else {
      way.send(
          to,
          member,
          proofs.prove(request),
          reply -> replyTo.accept(proofs.checked(request, reply)));
    }
  }

  @Override
  public void memberLost(UUID member) {
    way.memberLost(member);
  }

  @Override
  public void workerLost(Worker worker) {
    way.workerLost(worker);
  }

  @Override
  public void close() {
    way.close();
  }
}
