package io.hazelgrad.grid.internal.call;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.UUID;
import java.util.function.Consumer;

/** Adds proofs to the requests to other workers, and checks those of their replies. */
public record ProvingTransport(Transport way, CallProofs proofs) implements Transport {
  /** Returns a transport with proofs over another one; without a secret the other one itself. */
  public static Transport over(Transport way, CallProofs proofs) {
    return proofs.areNeeded() ? new ProvingTransport(way, proofs) : way;
  }

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
