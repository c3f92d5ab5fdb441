package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.CancelRequests;
import io.hazelgrad.grid.internal.hazelcast.OperationTransport;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.member.LostClientDetector;
import io.hazelgrad.grid.internal.member.SqlMappings;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.serve.CallPool;
import io.hazelgrad.grid.internal.serve.Callee;
import io.hazelgrad.grid.internal.tasks.ConnectedClientsTask;
import io.hazelgrad.grid.internal.tasks.EntryTask;
import io.hazelgrad.grid.internal.tasks.TaskEndpoint;
import io.hazelgrad.grid.internal.tasks.TaskTransport;
import io.hazelgrad.grid.internal.waits.WaitReporter;
import io.hazelgrad.grid.spi.Activity;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Proofs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a worker, put together; and the view of them that extensions get. */
final class GridRuntime extends CallingRuntime {
  private static final Duration SWEEP = Duration.ofSeconds(5);
  private static final Duration ASK_LOST = Duration.ofSeconds(2);
  private static final Logger LOG = LoggerFactory.getLogger(GridRuntime.class);

  private final MemberGrid grid;
  final Callee callee;
  final TaskEndpoint endpoint;
  private final ClientDirectory clients;
  private final @Nullable QuorumService quorum;
  private final List<Consumer<Worker>> clientListeners = new CopyOnWriteArrayList<>();

  GridRuntime(MemberGrid grid, HazelcastInstance hazelcast, HazelgradConfig config) {
    super(
        hazelcast,
        config,
        hazelcast.getConfig(),
        hazelcast.getCluster().getLocalMember().getUuid(),
        Proofs.of(hazelcast),
        (directory, threads) ->
            switch (config.engine()) {
              case TASKS -> new TaskTransport(grid, hazelcast, grid.pending, threads.completions);
              case OPERATIONS -> new OperationTransport(grid, hazelcast);
            });
    this.grid = grid;
    this.quorum = QuorumService.of(hazelcast);
    this.callee =
        new Callee(
            grid,
            self,
            registry,
            wire,
            config.maxRequestBytes(),
            threads.lanes,
            threads.deadlines,
            threads.completions,
            proofs);
    this.endpoint =
        new TaskEndpoint(
            hazelcast,
            callee,
            self,
            grid.pending,
            config.maxRequestBytes(),
            threads.deadlines,
            threads.completions);
    this.clients = new ClientDirectory(hazelcast, client -> tasks.run(() -> gone(client)));
  }

  /** Enters the directory and starts the extensions; calls of others wait until it is opened. */
  void start() {
    addGauges();
    listen(new Membership());
    EntryTask.requireWelcome(hazelcast, self, proofs);
    directory.enter(self);
    directory.workers();
    offer(new WaitReporter(self, directory, caller, callee, userPool(), config.maxRunning()));
    List<String> mappings = new ArrayList<>(SqlMappings.WORKERS);
    addWaits();
    for (GridExtension extension :
        MemberConfiguration.extensions(hazelcast.getConfig().getClassLoader())) {
      offer(extension.start(this));
      mappings.addAll(extension.sqlMappings());
    }
    registry.service(CancelRequests.SERVICE, Handler.Lane.CONTROL, callee::cancel);
    every(SWEEP, callee::sweep);
    every(SWEEP, endpoint::sweep);
    clients.start();
    every(config.reconcileEvery(), clients::reconcile);
    every(config.reconcileEvery(), this::enterAgain);
    LostClientDetector losses =
        new LostClientDetector(
            hazelcast,
            directory,
            clients,
            config.clientGrace(),
            member ->
                MemberConfiguration.knowsUs(member)
                    ? ConnectedClientsTask.ask(hazelcast, member)
                    : CompletableFuture.completedFuture(List.of()));
    every(losses.period(), losses::look);
    if (quorum != null) {
      every(ASK_LOST, quorum::askLost);
    }
    if (SqlMappings.isPossible()) {
      tasks.run(() -> SqlMappings.make(hazelcast, mappings));
    }
  }

  /**
   * Lets the calls of others in. Users see this runtime: what is called may ask the grid for it.
   */
  void open() {
    callee.open();
  }

  private void enterAgain() {
    if (ended() == null) {
      directory.enterAgain();
    }
  }

  @Override
  void announce(Worker worker) {
    callee.lost(worker.id());
    endpoint.lost(worker);
    super.announce(worker);
  }

  private void gone(Worker client) {
    callee.gone(client);
    clientListeners.forEach(listener -> tasks.guarded(() -> listener.accept(client)));
  }

  private final class Membership extends MembershipAdapter {
    @Override
    public void memberAdded(MembershipEvent event) {
      if (!MemberConfiguration.isPrepared(event.getMember())) {
        LOG.error(
            "member {} joined without HazelgradConfig.prepare(...); every data member needs it",
            event.getMember().getAddress());
      }
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
      tasks.run(
          () -> {
            Worker worker = lost(event.getMember().getUuid());
            if (worker != null) {
              var unused = retrying(() -> directory.removeLost(worker));
            }
            enterAgain(); // Its death may have taken this worker's entry along.
          });
    }
  }

  /** Lets nothing in or out until {@link #resume}, and keeps what is held. Does not block. */
  void suspend(GridException reason) {
    suspendWork(reason);
    // NO_QUORUM for callers elsewhere: FENCED would say that they are cut off themselves.
    callee.suspend(
        new GridException(
            Status.NO_QUORUM, String.valueOf(reason.getMessage()), false, null, reason));
  }

  /** Serves again after {@link #suspend}, and repairs what was lost meanwhile. */
  void resume() {
    callee.resume();
    resumeWork();
  }

  /** Lets nothing in or out any more, at once. The rest of the work is that of {@link #close}. */
  void fence(GridException reason) {
    end(reason);
    callee.fence();
    endCalls(reason);
  }

  @Override
  void depart(GridException reason) {
    // A fenced worker is no part of the grid any more.
    if (reason.status() != Status.FENCED && !leavesWithAll()) {
      tasks.guarded(() -> directory.leave(self));
    }
    callee.close(); // What is ready to go out does so before the threads end.
    endpoint.close();
    endCalls(reason);
  }

  @Override
  public void leaveWithAll() {
    if (grid.ownsInstance) { // Else the member stays, with its listeners and its data.
      super.leaveWithAll();
      if (quorum != null) {
        quorum.leaveWithAll();
      }
    }
  }

  @Override
  void stopListening() {
    if (leavesWithAll()) {
      return; // The listeners end with the member. Members that have gone could not answer.
    }
    super.stopListening();
    clients.close();
  }

  @Override
  public Grid grid() {
    return grid;
  }

  @Override
  Collection<Worker> clientsKnown(long withinNanos) {
    return clients.all();
  }

  @Override
  public boolean isClient() {
    return false;
  }

  private CallPool userPool() {
    return Objects.requireNonNull(threads.lanes.get(Handler.Lane.USER));
  }

  private void addGauges() {
    addCallerGauges();
    CallPool user = userPool();
    gauge("agent.server_active_calls", callee::active);
    gauge(
        "agent.server_queued_calls",
        () -> threads.lanes.values().stream().mapToInt(CallPool::queued).sum());
    gauge("agent.server_waiting_calls", user::waiting);
    gauge("agent.server_known_callers", callee::callers);
    gauge("agent.requests_under_way", grid.pending::size);
    gauge("agent.thread_pool_size", config::maxRunning);
    gauge("agent.num_idle_threads", user::free);
    if (quorum != null) {
      quorum.addGauges(this);
    }
  }

  @Override
  public Activity activity() {
    return caller.activity(callee.serving());
  }

  @Override
  public void onClientGone(Consumer<Worker> listener) {
    clientListeners.add(listener);
  }
}
