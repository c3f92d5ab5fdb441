package io.hazelgrad.autograd;

import io.hazelgrad.autograd.jet.GradientMessage;
import io.hazelgrad.autograd.jet.PassId;
import io.hazelgrad.autograd.jet.PassSpec;
import io.hazelgrad.autograd.plan.MessageId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.WireInput;
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
final class RelayedPart {
  /** What the client is asked: the pass's spec, the wave, and the gradients that came for it. */
  static final String ADVANCE = "autograd.relay.advance";

  private final Relay relay;
  private final long client;
  private final PassSpec spec;
  private final byte[] written;
  private List<@Nullable Object> taken = new ArrayList<>();
  private @Nullable CompletableFuture<@Nullable Object> asked;
  private boolean ended;

  RelayedPart(Relay relay, long client, PassSpec spec) {
    this.relay = relay;
    this.client = client;
    this.spec = spec;
    WireOutput out = new WireOutput();
    spec.write(out);
    this.written = out.toBytes();
  }

  /** Returns whether the client takes or makes gradients when a wave is complete. */
  private boolean actsIn(int wave) {
    return spec.part().sends().stream().anyMatch(send -> send.wave() == wave)
        || spec.part().recvs().stream().anyMatch(recv -> recv.wave() == wave + 1);
  }

  synchronized void deliver(GradientMessage message) {
    taken.add(write(message));
  }

  CompletionStage<List<GradientMessage>> advance(int wave) {
    if (!actsIn(wave)) {
      return CompletableFuture.completedFuture(List.of());
    }
    synchronized (this) {
      if (ended) {
        return CompletableFuture.failedFuture(
            new GridException(Status.PASS_FAILED, "pass " + spec.pass() + " is over"));
      }
      List<@Nullable Object> arguments = new ArrayList<>();
      arguments.add(written);
      arguments.add(wave);
      arguments.add(taken);
      taken = new ArrayList<>();
      asked = relay.send(client, ADVANCE, arguments);
      return asked.thenApply(RelayedPart::readAll);
    }
  }

  /** The attempt has ended here: nobody waits for the client any more. */
  void end() {
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
  static Object advance(Passes passes, List<@Nullable Object> arguments) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof byte[] written)
        || !(arguments.get(1) instanceof Integer wave)) {
      throw new GridException(Status.BAD_VALUE, "no part in a pass: " + arguments);
    }
    PassSpec spec = PassSpec.read(new WireInput(written));
    PassId pass = spec.pass();
    try {
      passes.start(spec);
      readAll(arguments.get(2)).forEach(message -> passes.deliver(pass, message));
      return passes.advance(pass, wave).stream().map(RelayedPart::write).toList();
    } catch (Throwable e) {
      passes.end(pass, e);
      throw e;
    }
  }

  private static List<@Nullable Object> write(GradientMessage message) {
    WireOutput out = new WireOutput();
    message.message().write(out);
    List<@Nullable Object> parts = new ArrayList<>();
    parts.add(out.toBytes());
    parts.addAll(message.gradients());
    return parts;
  }

  private static List<GradientMessage> readAll(@Nullable Object written) {
    if (!(written instanceof List<?> messages)) {
      throw new GridException(Status.BAD_VALUE, "no gradients of a client: " + written);
    }
    List<GradientMessage> all = new ArrayList<>();
    messages.forEach(message -> all.add(read(message)));
    return all;
  }

  private static GradientMessage read(@Nullable Object written) {
    if (!(written instanceof List<?> parts)
        || parts.isEmpty()
        || !(parts.get(0) instanceof byte[] id)) {
      throw new GridException(Status.BAD_VALUE, "no gradients of a client: " + written);
    }
    List<@Nullable Tensor> gradients = new ArrayList<>();
    for (Object part : parts.subList(1, parts.size())) {
      if (part != null && !(part instanceof Tensor)) {
        throw new GridException(Status.BAD_VALUE, "no gradient of a client: " + part);
      }
      gradients.add((Tensor) part);
    }
    return new GradientMessage(MessageId.read(new WireInput(id)), gradients);
  }
}
