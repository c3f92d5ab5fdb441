package io.hazelgrad.autograd.internal.runtime;

import io.hazelgrad.autograd.AnomalyMode;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.ContextInfo;
import io.hazelgrad.autograd.HistoryOptions;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.internal.calls.CallPassScheduler;
import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextRecorder;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.history.HistoryMaps;
import io.hazelgrad.autograd.internal.history.HistoryWriter;
import io.hazelgrad.autograd.internal.history.PassLog;
import io.hazelgrad.autograd.internal.initiator.PassDispatcher;
import io.hazelgrad.autograd.internal.initiator.PassInitiator;
import io.hazelgrad.autograd.internal.jet.JetPassScheduler;
import io.hazelgrad.autograd.internal.participant.ClientParticipation;
import io.hazelgrad.autograd.internal.participant.DecisionMessages;
import io.hazelgrad.autograd.internal.participant.MemberParticipant;
import io.hazelgrad.autograd.internal.participant.PassMeter;
import io.hazelgrad.autograd.internal.participant.PassTable;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.autograd.internal.relay.RelayConnection;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The autograd service of a worker or client: creates its parts and connects them to the grid. */
final class GridAutograd implements Autograd {
  private final GridContext grid;
  private final Contexts contexts;
  private final PassTable passes;
  private final ContextPeers peers;
  private final ContextMessages messages;
  private final DecisionMessages decisions;
  private final ContextRecorder recorder;
  private final PassInitiator initiator;
  private final HistoryWriter history;

  /** A client's connection to the worker that relays for it; null for a worker. */
  private final @Nullable RelayConnection connection;

  GridAutograd(GridContext grid) {
    this.grid = grid;
    this.contexts = new Contexts(grid.self().id());
    this.passes = new PassTable(grid.self().name(), contexts, grid.background());
    this.connection =
        grid.isClient() ? new RelayConnection(grid, () -> contexts.count() > 0) : null;
    this.peers = new ContextPeers(grid, connection);
    this.messages = new ContextMessages(grid, peers, contexts, passes);
    this.decisions = new DecisionMessages(grid, peers, passes);
    this.recorder = new ContextRecorder(grid, contexts, passes, messages::close);
    HistoryOptions options = grid.config().options(HistoryOptions.defaults());
    PassLog log = new PassLog(options.passes(), HistoryMaps.KEEP.toNanos());
    this.initiator =
        new PassInitiator(
            grid,
            peers,
            passes,
            messages,
            decisions,
            new PassDispatcher(
                grid,
                recorder,
                new CallPassScheduler(grid),
                new JetPassScheduler(grid.hazelcast(), grid.background())),
            log);
    grid.hook(recorder);
    grid.interceptor(recorder);
    grid.onLost(this::lost);
    grid.onClientGone(this::lost);
    grid.every(grid.reconcileEvery(), this::sweep);
    this.history = new HistoryWriter(grid, contexts, log); // Closes after the contexts.
    grid.onClose(messages::leave);
    grid.gauge("autograd.num_autograd_contexts", contexts::count);
    grid.gauge("autograd.num_current_backward_passes", passes::count);
    grid.operators(new OperatorCalls());
    if (connection == null) {
      PassMeter meter = new PassMeter(grid, !log.isOff());
      PassParticipant participant =
          new MemberParticipant(
              grid.self().id(), passes, new ClientRelay(grid), grid.background(), meter);
      ConcurrentMap<String, Object> members = grid.hazelcast().getUserContext();
      members.put(PassParticipant.USER_CONTEXT_KEY, participant);
      grid.onClose(() -> members.remove(PassParticipant.USER_CONTEXT_KEY, participant));
    } else {
      connection.serve(
          ClientParticipation.ADVANCE, arguments -> ClientParticipation.advance(passes, arguments));
    }
  }

  private void lost(Worker worker) {
    messages.lost(worker.id());
    decisions.settle(worker.id(), passes.lost(worker.id()));
  }

  private void sweep() {
    messages.sweep();
    initiator.sweep();
    decisions.reopen();
    Set<Long> needed = contexts.initiators();
    for (long each : passes.initiators()) {
      if (each != grid.self().id() && peers.find(each) == null) {
        Set<Long> originators = passes.lost(each);
        decisions.settle(each, originators);
        if (originators.isEmpty() && !needed.contains(each)) {
          passes.forget(each);
        }
      }
    }
  }

  @Override
  public Context open() {
    ContextState outer = recorder.bound();
    if (outer != null && outer.isOpen()) { // Another thread may have closed it.
      throw new GridException(
          Status.BAD_ARGUMENT,
          "this thread is in " + outer.id() + " already; contexts do not nest");
    }
    ContextState state = contexts.open();
    if (connection != null) {
      connection.use();
    }
    if (AnomalyMode.isActive()) {
      state.check();
    }
    recorder.bind(state);
    return context(state, true);
  }

  @Override
  public @Nullable Context current() {
    ContextState state = recorder.bound();
    return state == null ? null : context(state, false);
  }

  private Context context(ContextState state, boolean isOwn) {
    return new GridAutogradContext(state, recorder, initiator, messages, isOwn);
  }

  @Override
  public int contextCount() {
    return contexts.count();
  }

  @Override
  public int passCount() {
    return passes.count();
  }

  @Override
  public List<ContextInfo> openContexts() {
    return history.contexts();
  }

  @Override
  public List<PassInfo> recentPasses() {
    return history.passes();
  }
}
