package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts at backward passes by calls between the workers that take part, and takes part in
 * those of others.
 *
 * <p>Whatever ends an attempt early, every host is told to stop; one that does not hear of it stops
 * at the pass's deadline, or when its coordinator is lost.
 *
 * <p>Threads: safe.
 */
public final class CallPassScheduler {
  private static final Logger LOG = LoggerFactory.getLogger(CallPassScheduler.class);

  /** A client asks a worker to coordinate an attempt for it. */
  private static final String RUN = "autograd.pass.run";

  /** So long after its deadline a part is stopped whose coordinator has not said so. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final GridContext grid;
  private final HostCalls calls;
  private final Map<PassId, PassExecution> flows = new ConcurrentHashMap<>();
  private final Map<PassId, AttemptCoordinator> coordinations = new ConcurrentHashMap<>();

  /** Makes a worker's or client's part. Only while starting. */
  public CallPassScheduler(GridContext grid) {
    this.grid = grid;
    this.calls = new HostCalls(grid, grid);
    grid.asyncHandler(HostCalls.BEGIN, Handler.Lane.COMPUTE, this::begin);
    grid.asyncHandler(HostCalls.GRADIENTS, Handler.Lane.COMPUTE, this::gradients);
    grid.handler(HostCalls.ENDED, Handler.Lane.CONTROL, this::ended);
    grid.handler(HostCalls.STOP, Handler.Lane.CONTROL, (arguments, request) -> stop(arguments));
    grid.asyncHandler(RUN, Handler.Lane.COMPUTE, (arguments, request) -> run(arguments));
    grid.onLost(this::lost);
    grid.every(grid.reconcileEvery(), this::sweep);
    grid.onClose(this::close);
    grid.gauge("autograd.num_pass_parts", this::count);
  }

  /** Returns the number of attempts that this worker coordinates or has an open part in. */
  public int count() {
    return flows.size() + coordinations.size();
  }

  /**
   * Runs an attempt and waits until it ends. An interrupt ends it; the outcome is then Failed with
   * CANCELLED, and the thread's interrupt flag is set.
   *
   * @param pass the attempt
   * @param plan who sends what when
   * @param members for each worker and client of the plan, the member that acts for it
   * @param specs makes a host's spec of what its workers do, by their ids
   * @param timeout how long the attempt may take
   */
  public AttemptOutcome run(
      PassId pass,
      Plan plan,
      Map<Long, UUID> members,
      Function<Map<Long, PlanPart>, PassSpec> specs,
      Duration timeout) {
    Map<Long, Long> hosts = new HashMap<>();
    for (Map.Entry<Long, UUID> each : members.entrySet()) {
      Worker host = grid.on(each.getValue());
      if (host == null) {
        return new AttemptOutcome.MemberLost(
            new GridException(Status.WORKER_LOST, "no worker on member " + each.getValue()));
      }
      hosts.put(each.getKey(), host.id());
    }
    AttemptRequest order = AttemptRequest.of(pass, plan, hosts, specs);
    try {
      return grid.awaitSteps(
          letters ->
              grid.isClient()
                  ? atWorker(letters, hosts, order, timeout)
                  : coordinate(order, timeout, new HostCalls(grid, letters)));
    } catch (GridException e) { // Of the wait, not of the attempt.
      GridException error =
          new GridException(
              e.status(), "backward pass " + pass + ": " + e.getMessage(), true, null, e);
      AttemptCoordinator open = coordinations.get(pass);
      if (open != null) {
        open.fail(new AttemptOutcome.Failed(error));
      }
      return new AttemptOutcome.Failed(error);
    }
  }

  private CompletableFuture<AttemptOutcome> atWorker(
      ServiceCaller caller, Map<Long, Long> hosts, AttemptRequest order, Duration timeout) {
    long host = Objects.requireNonNull(hosts.get(grid.self().id()));
    WireOutput out = new WireOutput();
    out.int64(timeout.toNanos());
    order.write(out);
    List<@Nullable Object> arguments = new ArrayList<>();
    arguments.add(out.toBytes());
    // A little longer, so that the worker itself can say what it waited for.
    return caller
        .<byte[]>call(calls.worker(host), RUN, arguments, timeout.plus(HostCalls.GRACE))
        .handle(
            (told, failure) ->
                failure == null
                    ? AttemptResult.read(new WireInput(told))
                    : GradientBatchReply.outcomeOf(Causes.of(failure)));
  }

  private CompletableFuture<Object> run(List<@Nullable Object> arguments) {
    WireInput in = new WireInput(bytes(arguments));
    Duration timeout = Duration.ofNanos(Math.max(1, in.int64()));
    AttemptRequest order = AttemptRequest.read(in);
    in.end();
    CompletableFuture<AttemptOutcome> outcome = coordinate(order, timeout, calls);
    CompletableFuture<Object> told = outcome.thenApply(end -> AttemptResult.write(forClient(end)));
    var unused =
        told.whenComplete( // Cancelled by the client, or with it.
            (bytes, failure) ->
                outcome.complete(
                    new AttemptOutcome.Failed(
                        new GridException(
                            Status.CANCELLED, "pass " + order.pass() + " was cancelled"))));
    return told;
  }

  /** To a client, the end of this worker is that of one among others. */
  private AttemptOutcome forClient(AttemptOutcome end) {
    return end instanceof AttemptOutcome.Done || grid.ended() == null
        ? end
        : new AttemptOutcome.MemberLost(takesNoPart());
  }

  /** Begins an attempt here; the future ends when it does. */
  private CompletableFuture<AttemptOutcome> coordinate(
      AttemptRequest order, Duration timeout, HostCalls letters) {
    PassId pass = order.pass();
    PassSpec own = order.specs().get(grid.self().id());
    if (own == null) {
      throw new GridException(Status.INTERNAL, "who coordinates pass " + pass + " has no part");
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    AttemptCoordinator run = new AttemptCoordinator(order, grid.self().id(), deadline, letters);
    CompletableFuture<AttemptOutcome> outcome = run.outcome();
    coordinations.put(pass, run);
    ScheduledFuture<?> timer =
        grid.timer()
            .schedule(
                () -> inBackground(() -> run.fail(tooLate(run, timeout))),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
    var unused =
        outcome.whenComplete(
            (end, failure) -> {
              coordinations.remove(pass, run);
              timer.cancel(false);
              if (!(end instanceof AttemptOutcome.Done)) {
                stop(order);
              }
            });
    try {
      PassExecution flow = flow(pass);
      flow.start(participant(), own, steps(own, grid.self().id(), order.relays()), run);
      for (long host : run.unbegun()) { // So that it takes its nodes meanwhile.
        flow.send(0, host, List.of());
      }
    } catch (GridException e) { // Such as one whose grid is closing.
      run.fail(new AttemptOutcome.Failed(e));
    }
    if (grid.ended() != null) { // Here or in close().
      close();
    }
    return outcome;
  }

  private PassStateMachine steps(PassSpec spec, long coordinator, Map<Long, Long> relays) {
    return new PassStateMachine(
        spec,
        grid.self().id(),
        coordinator,
        worker -> Objects.requireNonNullElse(relays.get(worker), worker));
  }

  private AttemptOutcome tooLate(AttemptCoordinator run, Duration timeout) {
    String open = run.open().stream().map(calls::name).collect(Collectors.joining(", "));
    return new AttemptOutcome.Failed(
        new GridException(
            Status.TIMEOUT,
            "backward pass "
                + run.order().pass()
                + " did not end within "
                + timeout
                + "; not done: "
                + open,
            true,
            null,
            null));
  }

  /** Tells all hosts of an attempt that it has ended. */
  private void stop(AttemptRequest order) {
    PassExecution own = flows.get(order.pass());
    if (own != null) {
      own.stop();
    }
    for (long host : order.specs().keySet()) {
      if (host != grid.self().id()) {
        calls.stop(order.pass(), host);
      }
    }
  }

  private PassExecution flow(PassId pass) {
    return flows.computeIfAbsent(
        pass, id -> new PassExecution(id, ended -> flows.remove(id, ended)));
  }

  /**
   * Returns who takes part here.
   *
   * @throws GridException WORKER_LOST if nobody does any more: this worker leaves
   */
  private PassParticipant participant() {
    if (grid.hazelcast().getUserContext().get(PassParticipant.USER_CONTEXT_KEY)
        instanceof PassParticipant participant) {
      return participant;
    }
    throw takesNoPart();
  }

  private GridException takesNoPart() {
    return new GridException(
        Status.WORKER_LOST,
        "worker " + grid.self().name() + " leaves, and takes no part in backward passes any more");
  }

  // ---- What comes from other hosts.

  private CompletableFuture<List<@Nullable Object>> begin(
      List<@Nullable Object> arguments, Incoming request) {
    GradientBatch letter = GradientBatch.read(arguments);
    WireInput head = letter.head();
    Map<Long, Long> relays = AttemptRequest.readRelays(head);
    long deadline = System.nanoTime() + Math.max(1, head.int64());
    PassSpec spec = PassSpec.read(head);
    int wave = (int) head.varint();
    List<GradientMessage> messages = letter.gradients();
    long coordinator = request.call().caller().id();
    PassId pass = spec.pass();
    PassParticipant participant;
    try {
      participant = participant();
    } catch (GridException e) { // The pass may go on without this worker.
      return CompletableFuture.completedFuture(GradientBatchReply.lost(e).write());
    }
    PassExecution flow = flow(pass);
    CompletableFuture<List<@Nullable Object>> answer =
        messages.isEmpty()
            ? CompletableFuture.completedFuture(
                new GradientBatchReply(null, false, List.of()).write())
            : flow.letter(wave, coordinator, messages);
    flow.start(
        participant,
        spec,
        steps(spec, coordinator, relays),
        new AttemptParticipation(pass, coordinator, deadline, calls));
    return answer;
  }

  private CompletableFuture<List<@Nullable Object>> gradients(
      List<@Nullable Object> arguments, Incoming request) {
    GradientBatch letter = GradientBatch.read(arguments);
    PassId pass = PassId.read(letter.head());
    int wave = (int) letter.head().varint();
    PassExecution flow = flow(pass);
    CompletableFuture<List<@Nullable Object>> answer =
        flow.letter(wave, request.call().caller().id(), letter.gradients());
    var unused =
        answer.whenComplete(
            (values, failure) -> {
              if (answer.isCancelled()) { // By who sent it, so the attempt is over.
                flow.forget();
              }
            });
    return answer;
  }

  private @Nullable Object ended(List<@Nullable Object> arguments, Incoming request) {
    WireInput in = new WireInput(bytes(arguments));
    AttemptCoordinator run = coordinations.get(PassId.read(in));
    if (run != null) {
      AttemptOutcome outcome = AttemptResult.read(in);
      if (outcome instanceof AttemptOutcome.Done) {
        run.heardDone(request.call().caller().id());
      } else {
        run.fail(outcome);
      }
    }
    return null;
  }

  private @Nullable Object stop(List<@Nullable Object> arguments) {
    PassExecution flow = flows.get(PassId.read(new WireInput(bytes(arguments))));
    if (flow != null) {
      flow.stop();
    }
    return null;
  }

  private static byte[] bytes(List<@Nullable Object> arguments) {
    if (arguments.size() == 1 && arguments.get(0) instanceof byte[] bytes) {
      return bytes;
    }
    throw new GridException(Status.BAD_VALUE, "unexpected arguments " + arguments);
  }

  // ---- What ends without a word.

  private void lost(Worker worker) {
    coordinations.values().forEach(run -> run.lost(worker.id(), worker.name()));
    flows
        .values()
        .forEach(
            flow -> {
              if (flow.host() instanceof AttemptParticipation part
                  && part.coordinator() == worker.id()) {
                flow.stop();
              }
            });
  }

  private void sweep() {
    long now = System.nanoTime();
    for (PassExecution flow : flows.values()) {
      if (flow.host() instanceof AttemptParticipation part
          && (now - part.deadlineNanos() > PATIENCE_NANOS || !grid.isLiving(part.coordinator()))) {
        flow.stop();
      } else {
        flow.forget();
      }
    }
  }

  private void inBackground(Runnable work) {
    try {
      grid.background().execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("this grid is closing", e);
    }
  }

  private void close() {
    GridException ended = grid.ended();
    GridException why =
        ended == null ? new GridException(Status.CLOSED, "this worker leaves the grid") : ended;
    coordinations.values().forEach(run -> run.fail(new AttemptOutcome.Failed(why)));
    AttemptOutcome left =
        new AttemptOutcome.MemberLost(takesNoPart()); // Others may go on without this worker.
    flows.values().forEach(flow -> flow.fail(left));
  }
}
