package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Notices by the replies to a client's requests that the grid has declared the client lost.
 *
 * <p>A member that knows says FENCED. One that has not heard of it yet may find that what the
 * client held is gone, and say so: then the client asks whether it is still in the grid before it
 * believes that.
 *
 * @param isEntered whether the client of an id is in the grid; may fail
 * @param lost looks what this client is now; returns at once
 */
record FencingTransport(
    Transport way, LongFunction<CompletionStage<Boolean>> isEntered, Runnable lost)
    implements Transport {
  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    way.send(to, member, request, reply -> heard(reply, request.caller(), replyTo));
  }

  @Override
  public void workerLost(Worker worker) {
    way.workerLost(worker);
  }

  @Override
  public void close() {
    way.close();
  }

  private void heard(Reply reply, Worker self, Consumer<Reply> replyTo) {
    GridException failure = reply.failure();
    if (failure == null || failure.remote() != null || reply.isLost()) {
      replyTo.accept(reply);
    } else if (failure.status() == Status.RREF_GONE) {
      var unused =
          entered(self)
              .whenComplete(
                  (entered, unknown) -> {
                    if (unknown == null && !entered) {
                      replyTo.accept(givenUp(self, failure));
                      lost.run();
                    } else {
                      replyTo.accept(reply);
                    }
                  });
    } else {
      // The reply goes first: lost ends all calls under way, also one that never ran.
      replyTo.accept(reply);
      if (failure.status() == Status.FENCED) {
        lost.run();
      }
    }
  }

  private CompletionStage<Boolean> entered(Worker self) {
    try {
      return isEntered.apply(self.id());
    } catch (RuntimeException e) { // The client is closing.
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Reply givenUp(Worker self, GridException failure) {
    GridException fenced = ClientDirectory.fenced(self);
    return Reply.failure(failure.mayHaveRun() ? ExceptionMapper.hasRun(fenced) : fenced);
  }
}
