package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs the part of the member's own worker, and relays those of clients. Threads: safe. */
public final class MemberParticipant implements PassParticipant {
  private final long self;
  private final PassTable passes;
  private final ClientRelay relay;
  private final Executor executor;
  private final PassMeter meter;

  /** The attempts in which clients take part. */
  private final Map<PassId, Attempt> relayed = new ConcurrentHashMap<>();

  private record Attempt(boolean isOwn, Map<Long, ClientParticipation> clients) {}

  public MemberParticipant(
      long self, PassTable passes, ClientRelay relay, Executor executor, PassMeter meter) {
    this.self = self;
    this.passes = passes;
    this.relay = relay;
    this.executor = executor;
    this.meter = meter;
  }

  @Override
  public String worker() {
    return passes.worker();
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public void start(PassSpec spec) {
    meter.begin(spec.pass());
    boolean isOwn = spec.parts().containsKey(self);
    if (isOwn && spec.pass().initiator() != self) { // The initiator has begun its own part.
      passes.start(spec.of(self));
    }
    if (!isOwn || spec.parts().size() > 1) {
      Map<Long, ClientParticipation> clients = new HashMap<>();
      spec.parts().keySet().stream()
          .filter(id -> id != self)
          .forEach(id -> clients.put(id, new ClientParticipation(relay, id, spec.of(id))));
      relayed.put(spec.pass(), new Attempt(isOwn, clients));
    }
  }

  @Override
  public void deliver(PassId pass, GradientMessage message) {
    meter.took(pass, message);
    long taker = message.message().worker();
    if (taker == self) {
      passes.deliver(pass, message);
      return;
    }
    Attempt attempt = relayed.get(pass);
    ClientParticipation client = attempt == null ? null : attempt.clients.get(taker);
    if (client == null) {
      throw passes.named(
          new GridException(Status.PASS_FAILED, message + " is for the worker with id " + taker));
    }
    client.deliver(message);
  }

  @Override
  public CompletionStage<List<GradientMessage>> advance(PassId pass, int wave) {
    long start = System.nanoTime();
    Attempt attempt = relayed.get(pass);
    if (attempt == null) {
      List<GradientMessage> own = passes.advance(pass, wave);
      meter.computed(pass, wave, start, System.nanoTime());
      return CompletableFuture.completedFuture(own);
    }
    CompletionStage<List<GradientMessage>> all = CompletableFuture.completedFuture(List.of());
    // The clients first: they compute in parallel.
    for (ClientParticipation client : attempt.clients.values()) {
      all = all.thenCombine(client.advance(wave), MemberParticipant::joined);
    }
    List<GradientMessage> own = attempt.isOwn ? passes.advance(pass, wave) : List.of();
    return all.thenApply(
        others -> {
          meter.computed(pass, wave, start, System.nanoTime());
          return joined(others, own);
        });
  }

  private static List<GradientMessage> joined(List<GradientMessage> a, List<GradientMessage> b) {
    List<GradientMessage> both = new ArrayList<>(a);
    both.addAll(b);
    return both;
  }

  @Override
  public void end(PassId pass, @Nullable Throwable failure) {
    passes.end(pass, failure);
    Attempt attempt = relayed.remove(pass);
    if (attempt != null) {
      attempt.clients.values().forEach(ClientParticipation::end);
    }
  }
}
