package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.internal.pass.GradientBatch;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.pass.RelayLostException;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A client's part in one attempt at a pass, at the worker that relays for it. The gradients for the
 * client are kept until their wave is complete, then travel in one request; the reply holds the
 * gradients that the client emits. Threads: safe.
 */
public final class ClientParticipation {
  /** The client's service; it takes the spec of the pass, the wave and the gradients for it. */
  public static final String ADVANCE = "autograd.relay.advance";

  private final ClientRelay relay;
  private final long client;
  private final PassSpec spec;
  private List<GradientMessage> taken = new ArrayList<>();
  private @Nullable CompletableFuture<@Nullable Object> request;
  private boolean ended;

  ClientParticipation(ClientRelay relay, long client, PassSpec spec) {
    this.relay = relay;
    this.client = client;
    this.spec = spec;
  }

  /** Returns whether the client takes or emits gradients when a wave is complete. */
  private boolean isActive(int wave) {
    return spec.part().sends().stream().anyMatch(send -> send.wave() == wave)
        || spec.part().recvs().stream().anyMatch(recv -> recv.wave() == wave + 1);
  }

  synchronized void deliver(GradientMessage message) {
    taken.add(message);
  }

  CompletionStage<List<GradientMessage>> advance(int wave) {
    if (!isActive(wave)) {
      return CompletableFuture.completedFuture(List.of());
    }
    synchronized (this) {
      if (ended) {
        return CompletableFuture.failedFuture(spec.pass().over());
      }
      WireOutput head = new WireOutput();
      spec.write(head);
      head.varint(wave);
      request = relay.send(client, ADVANCE, GradientBatch.write(head, taken));
      taken = new ArrayList<>();
      return request
          .exceptionally(this::notAnswered)
          .thenApply(reply -> GradientBatch.read(reply).gradients());
    }
  }

  private @Nullable Object notAnswered(Throwable failure) {
    if (!relay.relaysFor(client)) {
      throw new RelayLostException(String.valueOf(failure.getMessage()));
    }
    throw new CompletionException(failure);
  }

  /** Ends the attempt here; nothing waits for the client any more. */
  void end() {
    CompletableFuture<@Nullable Object> open;
    synchronized (this) {
      ended = true;
      open = request;
    }
    if (open != null) {
      open.cancel(false);
    }
  }

  /** Handles {@link #ADVANCE} on the client. */
  public static Object advance(PassTable passes, List<@Nullable Object> arguments) {
    GradientBatch batch = GradientBatch.read(arguments);
    PassSpec spec = PassSpec.read(batch.head());
    int wave = (int) batch.head().varint();
    PassId pass = spec.pass();
    try {
      passes.start(spec);
      batch.gradients().forEach(message -> passes.deliver(pass, message));
      return GradientBatch.write(new WireOutput(), passes.advance(pass, wave));
    } catch (Throwable e) {
      passes.end(pass, e);
      throw e;
    }
  }
}
