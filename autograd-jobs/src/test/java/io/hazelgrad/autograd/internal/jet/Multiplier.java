package io.hazelgrad.autograd.internal.jet;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.MessageGraph;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A worker whose local graph is one multiplication by its factor (its id + 2): the gradient of a
 * recv node is the sum of what came to the send nodes above it, times the factor, and 1 more if it
 * is a root. A recv node listed as dry gets no gradient at all.
 */
final class Multiplier implements PassParticipant, AutoCloseable {
  final long id;
  final Map<PassId, Map<MessageId, Double>> taken = new ConcurrentHashMap<>();
  final List<String> ended = new CopyOnWriteArrayList<>();
  final Set<PassId> open = ConcurrentHashMap.newKeySet();
  final AtomicInteger hops = new AtomicInteger();
  final AtomicInteger faults = new AtomicInteger();
  final ExecutorService executor = Executors.newCachedThreadPool();
  volatile Scenario scenario = Scenario.NONE;
  volatile IntConsumer onAdvance = wave -> {};
  volatile Runnable onStart = () -> {};

  /** Changes the messages that it emits. */
  volatile UnaryOperator<List<GradientMessage>> change = messages -> messages;

  private final Map<PassId, PassSpec> specs = new ConcurrentHashMap<>();

  /** The forward pass of the workers. */
  record Scenario(MessageGraph graph, List<MessageId> roots, Set<MessageId> dry) {
    static final Scenario NONE = new Scenario(new MessageGraph(), List.of(), Set.of());

    double factor(long worker) {
      return worker + 2;
    }

    /** The gradient at a recv node, given what came to the send nodes of its worker. */
    @Nullable Double gradient(MessageId recv, Map<MessageId, Double> taken, List<MessageId> sends) {
      Double sum = roots.contains(recv) ? 1.0 : null;
      for (MessageId send : sends) {
        Double came = taken.get(send);
        if (came != null && descriptor(send).below().contains(recv)) {
          sum = (sum == null ? 0 : sum) + came * factor(send.worker());
        }
      }
      return dry.contains(recv) ? null : sum;
    }

    io.hazelgrad.autograd.internal.plan.MessageDescriptor descriptor(MessageId id) {
      return Objects.requireNonNull(graph.get(id));
    }
  }

  Multiplier(long id) {
    this.id = id;
  }

  @Override
  public String worker() {
    return "w" + id;
  }

  @Override
  public java.util.concurrent.Executor executor() {
    return task -> {
      hops.incrementAndGet();
      executor.execute(task);
    };
  }

  @Override
  public void start(PassSpec spec) {
    if (!open.add(spec.pass())) {
      faults.incrementAndGet();
    }
    onStart.run();
    specs.put(spec.pass(), spec);
    taken.put(spec.pass(), new ConcurrentHashMap<>());
  }

  @Override
  public void deliver(PassId pass, GradientMessage message) {
    Tensor gradient = message.gradients().get(0);
    if (gradient != null) {
      taken.get(pass).put(message.message(), gradient.item());
    }
    if (!open.contains(pass)) {
      throw new GridException(Status.INTERNAL, "delivered to a pass that is not open");
    }
  }

  @Override
  public CompletionStage<List<GradientMessage>> advance(PassId pass, int wave) {
    onAdvance.accept(wave);
    PlanPart part = Objects.requireNonNull(specs.get(pass)).part();
    List<MessageId> sends = part.sends().stream().map(PlanPart.Send::id).toList();
    List<GradientMessage> emitted = new ArrayList<>();
    for (PlanPart.Recv recv : part.recvs()) {
      if (recv.wave() == wave + 1) {
        Double gradient = scenario.gradient(recv.id(), taken.get(pass), sends);
        int tensors = scenario.descriptor(recv.id()).tensors();
        List<@Nullable Tensor> all = new ArrayList<>(Collections.nCopies(tensors, null));
        all.set(0, gradient == null ? null : Tensor.scalar(gradient));
        emitted.add(new GradientMessage(recv.id(), all));
      }
    }
    return CompletableFuture.completedFuture(change.apply(emitted));
  }

  @Override
  public void end(PassId pass, @Nullable Throwable failure) {
    if (!open.remove(pass)) {
      faults.incrementAndGet();
    }
    ended.add(pass + " " + failure);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
