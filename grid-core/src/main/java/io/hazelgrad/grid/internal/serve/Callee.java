package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.member.CallerTombstones;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Proofs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callee's side of calls: takes requests in and gives each to its lane as a {@link ServerCall}.
 *
 * <p>Requests that come before the grid is complete wait until it is; the worker's own do not wait,
 * its extensions may need them to start. Closing ends every call that is here, and refuses more.
 */
public final class Callee implements RequestReceiver {
  private static final long OVERTAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  final Grid grid;
  final Worker self;
  final FunctionRegistry registry;
  final MessageCodec wire;
  final Executor continuations;
  private final long maxRequestBytes;
  private final Map<Handler.Lane, CallPool> lanes;
  private final DeadlineWheel deadlines;
  private final Map<CallId, ServerCall> serving = new ConcurrentHashMap<>();
  private final CallProofs proofs;
  private final DeduplicationWindow seen;

  /** Cancelled calls that have not come, with when that was heard; most had ended long before. */
  private final Map<CallId, Long> unwanted = new ConcurrentHashMap<>();

  private final CallerTombstones gone = new CallerTombstones();

  /** Requests that came before the grid was complete; null since it is. */
  private @Nullable List<ServerCall> early = new ArrayList<>();

  private volatile boolean open;
  private volatile boolean closed;

  /** The reason for which calls are refused for the moment; null while they are let in. */
  private volatile @Nullable GridException suspended;

  public Callee(
      Grid grid,
      Worker self,
      FunctionRegistry registry,
      MessageCodec wire,
      long maxRequestBytes,
      Map<Handler.Lane, CallPool> lanes,
      DeadlineWheel deadlines,
      Executor continuations,
      Proofs proofs) {
    this.grid = grid;
    this.self = self;
    this.registry = registry;
    this.wire = wire;
    this.maxRequestBytes = maxRequestBytes;
    this.lanes = lanes;
    this.deadlines = deadlines;
    this.continuations = continuations;
    this.proofs = new CallProofs(proofs);
    this.seen = new DeduplicationWindow(proofs.areNeeded());
  }

  /** {@inheritDoc} Reads none of the values: this is a thread of Hazelcast's. */
  @Override
  public void receive(Request request, Consumer<Reply> replyTo) {
    receive(request, replyTo, false);
  }

  /** As {@link #receive}, on a thread that may run the function and wait in it. */
  public void run(Request request, Consumer<Reply> replyTo) {
    receive(request, replyTo, true);
  }

  private void receive(Request request, Consumer<Reply> replyTo, boolean here) {
    try {
      proofs.check(request);
    } catch (GridException e) {
      replyTo.accept(Reply.failure(e));
      return;
    }
    receiveProven(request, proofs.proving(request, replyTo), here);
  }

  private void receiveProven(Request request, Consumer<Reply> replyTo, boolean here) {
    if (request.callee().id() != self.id()) {
      replyTo.accept(Reply.failure(meantForAnother(request.callee())));
      return;
    }
    if (isOfGone(request)) {
      replyTo.accept(Reply.failure(fenced(request)));
      return;
    }
    GridException refusal = suspended;
    if (refusal != null) {
      replyTo.accept(Reply.failure(asIfSent(request, refusal)));
      return;
    }
    CallPool lane;
    try {
      requireRoom(request);
      lane = Objects.requireNonNull(lanes.get(request.function().lane(registry)));
    } catch (GridException e) {
      replyTo.accept(Reply.failure(e));
      return;
    }
    DeduplicationWindow.Known known =
        seen.enter(request.id(), request.sending() == Request.Sending.AGAIN);
    if (known != DeduplicationWindow.Known.NEW) {
      answerAgain(request, replyTo);
      return;
    }
    ServerCall call = new ServerCall(this, lane, request, replyTo);
    serving.put(request.id(), call);
    if (unwanted.remove(request.id()) != null) {
      call.cancel();
      return;
    }
    if (closed) { // Here or in close() and fence(): one of the two sees it.
      call.stop(left(self));
      return;
    }
    refusal = suspended;
    if (refusal != null) { // Here or in suspend(): one of the two sees it.
      call.stop(refusal);
      return;
    }
    if (isOfGone(request)) { // As above: here or in gone().
      call.stop(fenced(request));
      return;
    }
    deadlines.add(call, request.deadlineNanos());
    if (call.state.hasEnded()) { // Cancelled at this very moment: here or in ended().
      deadlines.remove(call);
    }
    if (open || request.caller().id() == self.id() || !waitUntilOpen(call)) {
      call.enqueue(here);
    }
  }

  private void requireRoom(Request request) {
    long bytes = (long) request.headers().length + request.values().length;
    if (bytes > maxRequestBytes) {
      throw new GridException(
          Status.BAD_VALUE,
          ("the arguments of %s have %s bytes, and worker %s takes at most maxRequestBytes=%s in a"
                  + " message; send them in parts, or set more in its HazelgradConfig")
              .formatted(request.function(), bytes, self.name(), maxRequestBytes));
    }
  }

  /** A call that came before is not run again: it gets the reply that the first one gets or got. */
  private void answerAgain(Request request, Consumer<Reply> replyTo) {
    ServerCall running = serving.get(request.id());
    if (running != null && running.alsoTo(request.caller(), replyTo)) {
      return;
    }
    Reply kept = seen.reply(request.id());
    String forgotten =
        "call %s came to worker %s before, and its reply is not kept any more; it is not run again";
    replyTo.accept(
        kept != null
            ? kept
            : Reply.failure(
                new GridException(
                    Status.REJECTED,
                    forgotten.formatted(request.id(), self.name()),
                    true,
                    null,
                    null)));
  }

  /**
   * Answers the service by which callers cancel their calls. The reply of the call says what that
   * did: CANCELLED, with or without having run, or what it ended with before. A call that is
   * overtaken by this is refused when it comes.
   */
  public @Nullable Object cancel(List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof Long sequence)) {
      throw new GridException(Status.BAD_VALUE, "the number of a call, got " + arguments);
    }
    CallId id = new CallId(request.call().caller().id(), sequence);
    ServerCall call = serving.get(id);
    if (call == null) {
      unwanted.put(id, System.nanoTime());
      ServerCall since = serving.get(id); // Null unless it came at this very moment.
      call = since != null && unwanted.remove(id) != null ? since : null;
    }
    if (call != null) {
      call.cancel();
    }
    return null;
  }

  /** Forgets what is too old to matter. */
  public void sweep() {
    long now = System.nanoTime();
    unwanted.values().removeIf(since -> now - since > OVERTAKEN_NANOS);
    seen.sweep();
  }

  /** A worker was lost: its calls go on, but nobody takes what they give or asks again. */
  public void lost(long caller) {
    seen.lost(caller);
  }

  /** A client has gone: its calls end, those that run by an interrupt, and more are refused. */
  public void gone(Worker client) {
    gone.add(client.id());
    GridException why = ClientDirectory.fenced(client);
    serving.forEach(
        (id, call) -> {
          if (id.caller() == client.id()) {
            call.stop(why);
          }
        });
    seen.lost(client.id());
  }

  /** Returns whether a request is a late one of a client that has gone; only theirs may repeat. */
  private boolean isOfGone(Request request) {
    return request.sending() != Request.Sending.ONCE && gone.contains(request.caller().id());
  }

  private static GridException fenced(Request request) {
    return asIfSent(request, ClientDirectory.fenced(request.caller()));
  }

  /** A request that is sent again may have run the first time. */
  private static GridException asIfSent(Request request, GridException why) {
    return request.sending() == Request.Sending.AGAIN ? ExceptionMapper.hasRun(why) : why;
  }

  private synchronized boolean waitUntilOpen(ServerCall call) {
    if (early == null) {
      return false;
    }
    early.add(call);
    return true;
  }

  /** Lets the calls of others in, which waited for the grid to be complete. */
  public void open() {
    registry.complete();
    List<ServerCall> waiting;
    synchronized (this) {
      waiting = early == null ? List.of() : early;
      early = null;
      open = true;
    }
    waiting.forEach(call -> call.enqueue(false));
  }

  /** Ends all calls that are here, and refuses calls until {@link #resume}. */
  public void suspend(GridException why) {
    suspended = why;
    serving.values().forEach(call -> call.stop(why));
  }

  /** Lets calls in again. */
  public void resume() {
    suspended = null;
  }

  /** Ends all calls that are here, and refuses calls from now on. */
  public void fence() {
    closed = true;
    serving.values().forEach(call -> call.stop(left(self)));
  }

  /** As {@link #fence}, but a call whose result is there may still give it to its caller. */
  public void close() {
    closed = true;
    serving.values().forEach(call -> call.leave(left(self)));
  }

  /** Makes the failure of a call to a worker that is not there any more. */
  public static GridException left(Worker callee) {
    return new GridException(
        Status.WORKER_LOST,
        "worker " + callee.name() + " (id " + callee.id() + ") has left the grid");
  }

  private GridException meantForAnother(Worker callee) {
    return new GridException(
        Status.WORKER_LOST,
        "the call was meant for worker %s with id %s; its member is now worker %s with id %s"
            .formatted(callee.name(), callee.id(), self.name(), self.id()));
  }

  /** A call has ended; its reply is about to go out. */
  void ended(ServerCall call, Reply reply) {
    Request request = call.request;
    deadlines.remove(call);
    if (request.sending() != Request.Sending.ONCE && !isOfGone(request)) { // Else nobody asks.
      seen.keep(request.id(), reply);
    }
    serving.remove(request.id(), call);
  }

  /** A call was refused for want of room; it may come again. */
  void refused(ServerCall call) {
    deadlines.remove(call);
    serving.remove(call.request.id(), call);
    seen.leave(call.request.id());
  }

  /** Returns the number of calls that are here and have not ended. */
  public int active() {
    return serving.size();
  }

  /** Returns the calls that are here and have not ended. */
  public List<ServedCall> calls() {
    return serving.values().stream().map(ServerCall::served).toList();
  }

  /** Returns the number of callers whose calls are remembered, so that none runs twice. */
  public int callers() {
    return seen.callers();
  }

  /** Returns the number of active calls that are not those by which workers meet. */
  public int serving() {
    return (int) serving.values().stream().filter(call -> !call.request.kind().isGroup()).count();
  }
}
