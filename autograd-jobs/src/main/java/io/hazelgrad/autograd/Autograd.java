package io.hazelgrad.autograd;

import io.hazelgrad.autograd.internal.calls.CallPassScheduler;
import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextRecorder;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.context.OperatorCalls;
import io.hazelgrad.autograd.internal.history.HistoryMaps;
import io.hazelgrad.autograd.internal.history.HistoryWriter;
import io.hazelgrad.autograd.internal.history.PassLog;
import io.hazelgrad.autograd.internal.pass.GradientTraffic;
import io.hazelgrad.autograd.internal.pass.MemberParticipant;
import io.hazelgrad.autograd.internal.pass.PassInitiator;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassTable;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.autograd.internal.relay.RelayConnection;
import io.hazelgrad.autograd.internal.relay.RelayParticipation;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Differentiation over the workers of a grid.
 *
 * <pre>{@code
 * Autograd autograd = Autograd.on(grid);
 * try (Context context = autograd.open()) {
 *   Variable loss = grid.rpc().sync("w1", Model::forward, x).mean();
 *   context.backward(loss);
 *   Tensor gradient = context.gradient(x);
 * }
 * }</pre>
 *
 * <p>Threads: safe.
 */
public final class Autograd {
  private final Contexts contexts;
  private final PassTable passes;
  private final ContextRecorder recording;
  private final ContextMessages messages;
  private final PassInitiator runner;
  private final ContextPeers peers;
  private final HistoryWriter history;

  /** Of a client, which worker relays for it. */
  private final @Nullable RelayConnection link;

  public Autograd(GridContext grid) {
    this.contexts = new Contexts(grid.self().id());
    this.passes = new PassTable(grid.self().name(), contexts, grid.background());
    this.link = grid.isClient() ? new RelayConnection(grid, () -> contexts.count() > 0) : null;
    this.peers = new ContextPeers(grid, link);
    this.messages = new ContextMessages(grid, peers, contexts, passes);
    this.recording = new ContextRecorder(grid, contexts, passes, messages::closed);
    HistoryOptions options = grid.config().options(HistoryOptions.defaults());
    PassLog log = new PassLog(options.passes(), HistoryMaps.KEEP.toNanos());
    this.runner =
        new PassInitiator(
            grid, peers, passes, messages, recording, new CallPassScheduler(grid), log);
    grid.hook(recording);
    grid.interceptor(recording);
    grid.onLost(this::lost);
    grid.onClientGone(this::lost);
    grid.every(grid.reconcileEvery(), () -> sweep(grid));
    this.history = new HistoryWriter(grid, peers, contexts, log); // Closes after the contexts.
    grid.onClose(messages::leave);
    grid.gauge("autograd.num_autograd_contexts", contexts::count);
    grid.gauge("autograd.num_current_backward_passes", passes::count);
    if (link == null) {
      takePart(grid, new GradientTraffic(grid, !log.isOff()));
    } else {
      link.serve(
          RelayParticipation.ADVANCE, arguments -> RelayParticipation.advance(passes, arguments));
    }
  }

  /** What a worker does for others, and a client does not. */
  private void takePart(GridContext grid, GradientTraffic traffic) {
    grid.operators(new OperatorCalls());
    PassParticipant participant =
        new MemberParticipant(
            grid.self().id(), passes, new ClientRelay(grid), grid.background(), traffic);
    ConcurrentMap<String, Object> members = grid.hazelcast().getUserContext();
    members.put(PassParticipant.USER_CONTEXT_KEY, participant);
    grid.onClose(() -> members.remove(PassParticipant.USER_CONTEXT_KEY, participant));
  }

  private void lost(Worker worker) {
    messages.lost(worker.id());
    messages.settle(worker.id(), passes.lost(worker.id()));
  }

  private void sweep(GridContext grid) {
    messages.sweep();
    runner.sweep();
    Set<Long> needed = contexts.initiators();
    for (long initiator : passes.initiators()) {
      if (initiator != grid.self().id() && peers.find(initiator) == null) {
        Set<Long> originators = passes.lost(initiator);
        messages.settle(initiator, originators);
        if (originators.isEmpty() && !needed.contains(initiator)) {
          passes.forget(initiator);
        }
      }
    }
  }

  /** Returns the differentiation of a grid, or of a client of one. */
  public static Autograd on(GridAccess grid) {
    return grid.service(Autograd.class);
  }

  /**
   * Opens a context and binds it to this thread until it is closed: from now on, calls of this
   * thread are recorded, those that they lead to elsewhere included.
   *
   * @throws GridException BAD_ARGUMENT if this thread is in a context already
   */
  public Context open() {
    ContextState outer = recording.bound();
    if (outer != null && outer.isOpen()) { // Another thread may have closed it.
      throw new GridException(
          Status.BAD_ARGUMENT,
          "this thread is in " + outer.id() + " already; contexts do not nest");
    }
    ContextState state = contexts.open();
    if (link != null) {
      link.use();
    }
    if (AnomalyMode.isActive()) {
      state.check();
    }
    recording.bind(state);
    return new Context(this, state, true);
  }

  /**
   * Returns the context that this thread works in, opened here or by a caller, or null. Closing
   * what this returns does nothing.
   */
  public @Nullable Context current() {
    ContextState state = recording.bound();
    return state == null ? null : new Context(this, state, false);
  }

  /** Returns the number of contexts that this worker knows and that are not closed. */
  public int contextCount() {
    return contexts.count();
  }

  /** Returns the number of backward passes that wait here for their decision. */
  public int passCount() {
    return passes.count();
  }

  /**
   * Returns the contexts that are open in the whole grid, in no order; those that were opened
   * within the last second may lack. Reads a map.
   */
  public List<ContextInfo> openContexts() {
    return history.contexts();
  }

  /**
   * Returns the backward passes of the whole grid that run, and of those that have ended within the
   * last hour some of each worker and client: the last ones, the last that failed and the slowest,
   * see {@link HistoryOptions}. In no order, and a second late. Reads a map.
   */
  public List<PassInfo> recentPasses() {
    return history.passes();
  }

  void backward(ContextState state, PassOptions options, Variable... roots) {
    state.requireOpen();
    runner.run(state, options, PassRoots.of(roots));
  }

  Plan plan(ContextState state, Variable... roots) {
    state.requireOpen();
    return runner.plan(state, PassRoots.of(roots));
  }

  /** Runs something with a context bound to this thread. */
  <T> T within(ContextState state, Supplier<T> work) {
    ContextState outer = recording.bind(state);
    AnomalyMode mode = state.isChecked() ? AnomalyMode.begin() : null;
    try {
      return work.get();
    } finally {
      recording.bind(outer);
      if (mode != null) {
        mode.close();
      }
    }
  }

  void close(ContextState state) {
    if (recording.bound() == state) {
      recording.bind(null);
    }
    messages.close(state);
  }
}
