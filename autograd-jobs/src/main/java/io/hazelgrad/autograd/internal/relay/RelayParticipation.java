package io.hazelgrad.autograd.internal.relay;

import io.hazelgrad.autograd.internal.calls.GradientBatch;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.pass.PassTable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A client's part in one attempt at a pass, at the worker that relays for it: what it takes is kept
 * until its wave is complete, then goes to the client in one letter; the answer is what it emits.
 * Gradients travel as tensors of calls do.
 *
 * <p>Threads: safe.
 */
public final class RelayParticipation {
  /** What the client is asked: the pass's spec, the wave, and the gradients that came for it. */
  public static final String ADVANCE = "autograd.relay.advance";

  private final ClientRelay relay;
  private final long client;
  private final PassSpec spec;
  private List<GradientMessage> taken = new ArrayList<>();
  private @Nullable CompletableFuture<@Nullable Object> asked;
  private boolean ended;

  public RelayParticipation(ClientRelay relay, long client, PassSpec spec) {
    this.relay = relay;
    this.client = client;
    this.spec = spec;
  }

  /** Returns whether the client takes or makes gradients when a wave is complete. */
  private boolean actsIn(int wave) {
    return spec.part().sends().stream().anyMatch(send -> send.wave() == wave)
        || spec.part().recvs().stream().anyMatch(recv -> recv.wave() == wave + 1);
  }

  public synchronized void deliver(GradientMessage message) {
    taken.add(message);
  }

  public CompletionStage<List<GradientMessage>> advance(int wave) {
    if (!actsIn(wave)) {
      return CompletableFuture.completedFuture(List.of());
    }
    synchronized (this) {
      if (ended) {
        return CompletableFuture.failedFuture(
            new GridException(Status.PASS_FAILED, "pass " + spec.pass() + " is over"));
      }
      WireOutput head = new WireOutput();
      spec.write(head);
      head.varint(wave);
      asked = relay.send(client, ADVANCE, GradientBatch.write(head, taken));
      taken = new ArrayList<>();
      return asked.thenApply(made -> GradientBatch.read(made).gradients());
    }
  }

  /** The attempt has ended here: nobody waits for the client any more. */
  public void end() {
    CompletableFuture<@Nullable Object> open;
    synchronized (this) {
      ended = true;
      open = asked;
    }
    if (open != null) {
      open.cancel(false);
    }
  }

  /** The client's end: takes part in a pass as a member's scheduler would. */
  public static Object advance(PassTable passes, List<@Nullable Object> arguments) {
    GradientBatch letter = GradientBatch.read(arguments);
    PassSpec spec = PassSpec.read(letter.head());
    int wave = (int) letter.head().varint();
    PassId pass = spec.pass();
    try {
      passes.start(spec);
      letter.gradients().forEach(message -> passes.deliver(pass, message));
      return GradientBatch.write(new WireOutput(), passes.advance(pass, wave));
    } catch (Throwable e) {
      passes.end(pass, e);
      throw e;
    }
  }
}
