package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.Arguments;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientBatch;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassScheduler;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.ServiceCaller;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts at backward passes by calls between workers, and takes part in those of others.
 *
 * <p>If an attempt ends early, every host is told to stop. A host that the message does not reach
 * stops after the deadline of the pass, or when its coordinator is lost. Threads: safe.
 */
public final class CallPassScheduler implements PassScheduler {
  /** Asks a worker to coordinate an attempt for a client. */
  private static final String RUN = "autograd.pass.run";

  private final GridContext grid;
  private final HostCalls calls;
  private final Map<PassId, PassExecution> executions = new ConcurrentHashMap<>();
  private final Map<PassId, AttemptCoordinator> coordinations = new ConcurrentHashMap<>();

  /** Creates the scheduler of a worker or client, during start only. */
  public CallPassScheduler(GridContext grid) {
    this.grid = grid;
    this.calls = new HostCalls(grid, grid);
    grid.asyncHandler(HostCalls.BEGIN, Handler.Lane.COMPUTE, this::begin);
    grid.asyncHandler(HostCalls.GRADIENTS, Handler.Lane.COMPUTE, this::gradients);
    grid.handler(HostCalls.ENDED, Handler.Lane.CONTROL, this::ended);
    grid.handler(HostCalls.STOP, Handler.Lane.CONTROL, (arguments, request) -> stop(arguments));
    grid.asyncHandler(RUN, Handler.Lane.COMPUTE, (arguments, call) -> runForClient(arguments));
    grid.onLost(this::lost);
    grid.every(grid.reconcileEvery(), this::sweep);
    grid.onClose(this::close);
    grid.gauge("autograd.num_pass_parts", () -> executions.size() + coordinations.size());
  }

  @Override
  public AttemptOutcome run(
      @Nullable String job, PassSpec pass, Plan plan, Map<Long, UUID> members, Duration timeout) {
    Map<Long, Long> hosts = new HashMap<>();
    for (Map.Entry<Long, UUID> each : members.entrySet()) {
      Worker host = grid.directory().on(each.getValue());
      if (host == null) {
        return new AttemptOutcome.MemberLost("no worker on member " + each.getValue());
      }
      hosts.put(each.getKey(), host.id());
    }
    AttemptRequest request = AttemptRequest.of(pass, plan, hosts);
    try {
      return grid.awaitSteps(
          caller ->
              grid.isClient()
                  ? atWorker(caller, hosts, request, timeout)
                  : coordinate(request, timeout, new HostCalls(grid, caller)));
    } catch (GridException e) { // The wait failed, not the attempt.
      AttemptOutcome failure =
          AttemptOutcome.failed(
              e.status(), "backward pass " + request.pass() + ": " + e.getMessage(), e);
      AttemptCoordinator coordinator = coordinations.get(request.pass());
      if (coordinator != null) {
        coordinator.fail(failure);
      }
      return failure;
    }
  }

  private CompletableFuture<AttemptOutcome> atWorker(
      ServiceCaller caller, Map<Long, Long> hosts, AttemptRequest request, Duration timeout) {
    WireOutput out = new WireOutput();
    out.int64(timeout.toNanos());
    request.write(out);
    Duration within = timeout.plus(HostCalls.GRACE); // So that the error of the worker arrives.
    return CompletableFuture.completedFuture(Objects.requireNonNull(hosts.get(grid.self().id())))
        .thenCompose( // If it has left meanwhile, the attempt has lost it.
            host -> caller.<byte[]>call(calls.worker(host), RUN, Arguments.of(out), within))
        .handle(
            (result, failure) ->
                failure == null
                    ? AttemptOutcome.read(new WireInput(result))
                    : GradientBatchReply.outcomeOf(Causes.of(failure)));
  }

  private CompletableFuture<Object> runForClient(List<@Nullable Object> arguments) {
    WireInput in = new WireInput(Arguments.bytes(arguments));
    Duration timeout = Duration.ofNanos(Math.max(1, in.int64()));
    AttemptRequest request = AttemptRequest.read(in);
    in.end();
    CompletableFuture<AttemptOutcome> outcome = coordinate(request, timeout, calls);
    CompletableFuture<Object> result = outcome.thenApply(this::resultForClient);
    var unused =
        result.whenComplete( // Cancelled by the client, or because the client is lost.
            (bytes, failure) ->
                outcome.complete(
                    new AttemptOutcome.Failed(
                        new GridException(
                            Status.CANCELLED, "pass " + request.pass() + " was cancelled"))));
    return result;
  }

  /** Returns the result in bytes. If this worker ends, the client may try another worker. */
  private byte[] resultForClient(AttemptOutcome outcome) {
    WireOutput out = new WireOutput();
    boolean isFinal = outcome instanceof AttemptOutcome.Done || grid.ended() == null;
    (isFinal ? outcome : new AttemptOutcome.MemberLost(leaves())).write(out);
    return out.toBytes();
  }

  /** Begins an attempt with this worker as its coordinator; returns its outcome. */
  private CompletableFuture<AttemptOutcome> coordinate(
      AttemptRequest request, Duration timeout, HostCalls hostCalls) {
    PassId pass = request.pass();
    PassSpec own = request.specs().get(grid.self().id());
    if (own == null) {
      throw new GridException(
          Status.INTERNAL, "the coordinator of pass " + pass + " has no part in it");
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    AttemptCoordinator coordinator =
        new AttemptCoordinator(request, grid.self().id(), deadline, hostCalls);
    CompletableFuture<AttemptOutcome> outcome = coordinator.outcome();
    coordinations.put(pass, coordinator);
    ScheduledFuture<?> timer =
        grid.timer()
            .schedule(
                () -> {
                  var unused =
                      outcome.completeAsync(() -> tooLate(coordinator, timeout), grid.background());
                },
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
    var unused =
        outcome.whenComplete(
            (end, failure) -> {
              coordinations.remove(pass, coordinator);
              timer.cancel(false);
              if (!(end instanceof AttemptOutcome.Done)) {
                stop(request);
              }
            });
    try {
      PassExecution execution = execution(pass);
      PassStateMachine steps = steps(own, grid.self().id(), request.relays());
      execution.start(participant(), own, steps, coordinator);
      for (long host : coordinator.unbegun()) { // So that they reserve their nodes now.
        execution.send(0, host, List.of());
      }
    } catch (GridException e) { // For example because the grid is closing.
      coordinator.fail(new AttemptOutcome.Failed(e));
    }
    if (grid.ended() != null) { // Either close() sees the attempt, or this line the end.
      close();
    }
    return outcome;
  }

  private PassStateMachine steps(PassSpec spec, long coordinator, Map<Long, Long> relays) {
    return new PassStateMachine(
        spec, grid.self().id(), coordinator, worker -> relays.getOrDefault(worker, worker));
  }

  private AttemptOutcome tooLate(AttemptCoordinator coordinator, Duration timeout) {
    String open = coordinator.open().stream().map(calls::name).collect(Collectors.joining(", "));
    return AttemptOutcome.failed(
        Status.TIMEOUT,
        "backward pass %s did not end within %s; not done: %s"
            .formatted(coordinator.request().pass(), timeout, open),
        null);
  }

  private void stop(AttemptRequest request) {
    PassExecution own = executions.get(request.pass());
    if (own != null) {
      own.stop();
    }
    for (long host : request.specs().keySet()) {
      if (host != grid.self().id()) {
        calls.stop(request.pass(), host);
      }
    }
  }

  private PassExecution execution(PassId pass) {
    return executions.computeIfAbsent(
        pass, id -> new PassExecution(id, ended -> executions.remove(id, ended)));
  }

  /** Returns the participant of this worker; WORKER_LOST if there is none any more. */
  private PassParticipant participant() {
    if (grid.hazelcast().getUserContext().get(PassParticipant.USER_CONTEXT_KEY)
        instanceof PassParticipant participant) {
      return participant;
    }
    throw new GridException(Status.WORKER_LOST, leaves());
  }

  private String leaves() {
    return "worker "
        + grid.self().name()
        + " leaves, and takes no part in backward passes any more";
  }

  // ---- Calls of other hosts.

  private CompletableFuture<List<@Nullable Object>> begin(
      List<@Nullable Object> arguments, Incoming request) {
    GradientBatch batch = GradientBatch.read(arguments);
    WireInput head = batch.head();
    Map<Long, Long> relays = AttemptRequest.readRelays(head);
    long deadline = System.nanoTime() + Math.max(1, head.int64());
    PassSpec spec = PassSpec.read(head);
    int wave = (int) head.varint();
    List<GradientMessage> messages = batch.gradients();
    long coordinator = request.call().caller().id();
    PassId pass = spec.pass();
    PassParticipant participant;
    try {
      participant = participant();
    } catch (GridException e) { // Another attempt may succeed without this worker.
      return CompletableFuture.completedFuture(GradientBatchReply.lost(leaves()));
    }
    PassExecution execution = execution(pass);
    CompletableFuture<List<@Nullable Object>> reply =
        messages.isEmpty()
            ? CompletableFuture.completedFuture(GradientBatchReply.empty())
            : execution.receive(wave, coordinator, messages);
    execution.start(
        participant,
        spec,
        steps(spec, coordinator, relays),
        new AttemptParticipation(pass, coordinator, deadline, calls));
    return reply;
  }

  private CompletableFuture<List<@Nullable Object>> gradients(
      List<@Nullable Object> arguments, Incoming request) {
    GradientBatch batch = GradientBatch.read(arguments);
    PassId pass = PassId.read(batch.head());
    int wave = (int) batch.head().varint();
    PassExecution execution = execution(pass);
    CompletableFuture<List<@Nullable Object>> reply =
        execution.receive(wave, request.call().caller().id(), batch.gradients());
    var unused =
        reply.whenComplete(
            (values, failure) -> {
              if (reply.isCancelled()) { // By the sender, because the attempt is over.
                execution.forget();
              }
            });
    return reply;
  }

  private @Nullable Object ended(List<@Nullable Object> arguments, Incoming request) {
    WireInput in = new WireInput(Arguments.bytes(arguments));
    AttemptCoordinator coordinator = coordinations.get(PassId.read(in));
    if (coordinator != null) {
      AttemptOutcome outcome = AttemptOutcome.read(in);
      if (outcome instanceof AttemptOutcome.Done) {
        coordinator.hostDone(request.call().caller().id());
      } else {
        coordinator.fail(outcome);
      }
    }
    return null;
  }

  private @Nullable Object stop(List<@Nullable Object> arguments) {
    PassExecution execution =
        executions.get(PassId.read(new WireInput(Arguments.bytes(arguments))));
    if (execution != null) {
      execution.stop();
    }
    return null;
  }

  // ---- Ends without a message.

  private void lost(Worker worker) {
    coordinations.values().forEach(each -> each.lost(worker.id(), worker.name()));
    for (PassExecution execution : executions.values()) {
      PassExecution.Host host = execution.host();
      if (host != null && host.endsWith(worker.id())) {
        execution.stop();
      }
    }
  }

  private void sweep() {
    long now = System.nanoTime();
    for (PassExecution execution : executions.values()) {
      PassExecution.Host host = execution.host();
      if (host != null && host.isExpired(now, grid.directory()::isLiving)) {
        execution.stop();
      } else {
        execution.forget();
      }
    }
  }

  private void close() {
    GridException ended = grid.ended();
    GridException why =
        ended == null ? new GridException(Status.CLOSED, "this worker leaves the grid") : ended;
    coordinations.values().forEach(each -> each.fail(new AttemptOutcome.Failed(why)));
    AttemptOutcome left = new AttemptOutcome.MemberLost(leaves()); // Others may retry without it.
    executions.values().forEach(each -> each.fail(left));
  }
}
