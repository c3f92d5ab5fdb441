package io.hazelgrad.grid.internal.call;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.OperationTimeoutException;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.CallerThreadExecutor;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.concurrent.Permit;
import io.hazelgrad.grid.internal.concurrent.SpinBudget;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import io.hazelgrad.grid.internal.function.RemoteFunction.ServiceFunction;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.serve.ServerCall;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.Activity;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ServiceCaller;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The caller's side of calls: writes requests and sends them, each as a {@link ClientCall}. */
public final class Caller {
  /**
   * The options of one call.
   *
   * @param spentNanos how much of the timeout the search for the callee took
   */
  public record Options(Duration timeout, boolean bounded, boolean waitWhenFull, long spentNanos) {
    public Options(Duration timeout, boolean bounded, boolean waitWhenFull) {
      this(timeout, bounded, waitWhenFull, 0);
    }

    /** An own deadline, not bounded by that of the call that makes it. */
    public static Options within(Duration timeout) {
      return new Options(timeout, false, false);
    }

    /** The deadline began with the search, and is bounded already. */
    Options since(long startNanos, Duration within) {
      return new Options(within, false, waitWhenFull, System.nanoTime() - startNanos);
    }
  }

  private final Worker self;
  private final Directory directory;
  private final Transport transport;
  final MessageCodec wire;
  private final FunctionRegistry registry;
  private final boolean isClient;
  private final LongFunction<Collection<Worker>> clients;
  private final Executor completions;
  private final DeadlineWheel deadlines;
  private final SpinBudget spinBudget = new SpinBudget(Runtime.getRuntime().availableProcessors());
  private final AtomicLong sequence = new AtomicLong();
  private final Set<ClientCall<?>> pending = ConcurrentHashMap.newKeySet();
  private final LongAdder begun = new LongAdder();
  private final LongAdder settled = new LongAdder();
  final CancelRequests cancelling;
  private volatile boolean closed;
  private volatile @Nullable GridException reason;

  /** The reason for which nothing is sent for the moment; null while calls go out. */
  private volatile @Nullable GridException suspended;

  /**
   * Makes the calling side.
   *
   * @param registry the functions that are known here
   * @param clients gives, for errors, the clients that are known within so many nanoseconds
   */
  public Caller(
      Worker self,
      Directory directory,
      Transport transport,
      MessageCodec wire,
      FunctionRegistry registry,
      boolean isClient,
      LongFunction<Collection<Worker>> clients,
      Executor completions,
      DeadlineWheel deadlines) {
    this.self = self;
    this.directory = directory;
    this.transport = transport;
    this.wire = wire;
    this.registry = registry;
    this.isClient = isClient;
    this.clients = clients;
    this.completions = completions;
    this.deadlines = deadlines;
    this.cancelling = new CancelRequests(this, completions, deadlines);
  }

  /** Calls by name. */
  <R extends @Nullable Object> CallFuture<R> call(
      String to,
      Function<R> function,
      List<@Nullable Object> arguments,
      Options options,
      Consumer<Outgoing> setUp) {
    long start = System.nanoTime();
    Duration within = bounded(options);
    Worker callee = find(to, within);
    return call(callee, function, arguments, options.since(start, within), setUp);
  }

  /** Finds a worker by name or {@link Worker#callee}, within a time, or zero for no limit. */
  public Worker find(String name, Duration patience) {
    long patienceNanos = limit(patience);
    return whileOpen(
        () -> {
          long start = System.nanoTime();
          Worker callee = directory.find(name, patienceNanos);
          long left = Math.max(0, patienceNanos - (System.nanoTime() - start));
          if (callee == null && isClient(client -> client.isNamed(name), left)) {
            throw noCallee(name);
          }
          if (callee == null) {
            throw new GridException(
                Status.UNKNOWN_WORKER,
                "could not find destination \"%s\"; the living workers are %s"
                    .formatted(name, directory.knownNames()));
          }
          return callee;
        });
  }

  /** Returns whether what is no worker is a client, this one or another, as far as is known. */
  private boolean isClient(Predicate<Worker> asked, long patienceNanos) {
    boolean isThis = isClient && asked.test(self);
    return isThis || clients.apply(patienceNanos).stream().anyMatch(asked);
  }

  private static GridException noCallee(String name) {
    return new GridException(
        Status.UNKNOWN_WORKER,
        "\"" + name + "\" is a client, which cannot be called; only workers can");
  }

  private void requireOpen() {
    if (closed) {
      throw closed(false);
    }
    GridException why = suspended;
    if (why != null) {
      throw suspended(why, false);
    }
  }

  /** Asks the directory, or says that this grid has been closed. */
  public <T extends @Nullable Object> T whileOpen(Supplier<T> question) {
    requireOpen();
    try {
      return question.get();
    } catch (HazelcastInstanceNotActiveException e) {
      throw closed(false);
    } catch (OperationTimeoutException e) {
      throw new GridException(
          Status.TIMEOUT, "a member that keeps a part of the directory does not answer", e);
    }
  }

  /**
   * Calls a worker. What is wrong with the function or the arguments is thrown here; everything
   * later ends the future.
   *
   * @param setUp attaches to the request what interceptors shall find there
   */
  public <R extends @Nullable Object> CallFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Options options,
      Consumer<Outgoing> setUp) {
    return call(
        callee, function, arguments, options, setUp, CallerThreadExecutor.takeOr(completions));
  }

  /** Begins a call, and does its steps while it waits for the future that is made of it. */
  public <R extends @Nullable Object> R await(Supplier<CompletableFuture<R>> call) {
    return await(executor -> executor.begin(call));
  }

  /** Begins work, and does the steps of all its calls while it waits for its future. */
  public <R extends @Nullable Object> R awaitSteps(
      java.util.function.Function<ServiceCaller, CompletableFuture<R>> work) {
    return await(executor -> work.apply(by(executor)));
  }

  private <R extends @Nullable Object> R await(
      java.util.function.Function<CallerThreadExecutor, CompletableFuture<R>> work) {
    Permit held = Permit.pause();
    try (CallerThreadExecutor executor = new CallerThreadExecutor(completions, spinBudget)) {
      CompletableFuture<R> future = work.apply(executor);
      try {
        executor.runUntilDone(future);
      } catch (InterruptedException e) {
        future.cancel(true);
        throw ExceptionMapper.interrupted(e);
      }
      return CallFuture.await(future);
    } finally {
      Permit.resume(held);
    }
  }

  /** Returns the calls of services whose steps an executor does. */
  private ServiceCaller by(Executor steps) {
    return new ServiceCaller() { // No lambda: what it implements is generic.
      @Override
      public <R> CompletableFuture<R> call(
          Worker callee, String service, List<@Nullable Object> arguments, Duration timeout) {
        return Caller.this.call(
            callee,
            new ServiceFunction<>(service),
            arguments,
            Options.within(timeout),
            message -> {},
            steps);
      }
    };
  }

  private <R extends @Nullable Object> CallFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Options options,
      Consumer<Outgoing> setUp,
      Executor steps) {
    Duration timeout = bounded(options);
    long limit = limit(timeout);
    // Also where the whole time is spent it goes out: what ends it says which call that was.
    long nanos = limit == Long.MAX_VALUE ? limit : Math.max(1, limit - options.spentNanos());
    Member member = whileOpen(() -> directory.member(callee));
    RemoteFunction<R> checked = RemoteFunction.of(function).checked(arguments, registry, isClient);
    // Of one that was met it is known: nobody is asked, since this may not be a thread to wait on.
    boolean isMet = directory.nameOf(callee.id()) != null;
    if (member == null && !isMet && isClient(callee::equals, nanos)) {
      throw noCallee(callee.name());
    }
    if (member == null) {
      throw new GridException(
          Status.WORKER_LOST,
          "worker %s (id %s) %s"
              .formatted(callee.name(), callee.id(), directory.fate(callee.id())));
    }
    CallId id = new CallId(self.id(), sequence.incrementAndGet());
    Outgoing message =
        new Outgoing(new CallInfo(id, self, callee, checked.kind(), checked.toString()));
    setUp.accept(message);
    long now = System.nanoTime();
    ClientCall<R> call = new ClientCall<>(this, message, timeout, steps);
    if (!message.call().kind().isGroup()) {
      begun.increment();
    }
    try {
      MessageCodec.Encoded encoded = wire.write(arguments, message);
      pending.add(call);
      // Without an answer at 292 years from now the sum would be before now.
      deadlines.add(call, nanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : now + nanos);
      if (call.hasEnded()) {
        deadlines.remove(call);
      } else {
        Request request =
            new Request(id, self, callee, checked, nanos, encoded.headers(), encoded.values())
                .creation(message.mode() == Outgoing.Mode.REMOTE);
        if (options.waitWhenFull()) {
          call.retryWith(member, request);
        }
        transport.send(callee, member, request, call);
      }
    } catch (Throwable e) {
      GridException failure = ExceptionMapper.of(e);
      call.fail(failure);
      throw failure;
    }
    if (closed) { // Here or in close(): one of the two sees the call.
      call.fail(closed(true));
    }
    GridException why = suspended;
    if (why != null) { // Here or in suspend(): one of the two sees the call.
      call.fail(suspended(why, true));
    }
    return call.future;
  }

  /**
   * A call that a called function makes ends with the function's own call, unless it has a deadline
   * of its own: after that nobody waits for what it would give.
   */
  private Duration bounded(Options options) {
    long left = options.bounded() ? ServerCall.currentRemainingNanos() : Long.MAX_VALUE;
    if (left == Long.MAX_VALUE) {
      return options.timeout();
    }
    Duration own = options.timeout();
    Duration most = Duration.ofNanos(Math.max(1, left));
    return own.isZero() || own.compareTo(most) > 0 ? most : own;
  }

  /** Returns how many nanoseconds a deadline lasts; the most there can be for none. */
  public static long limit(Duration deadline) {
    if (requireNotNegative(deadline).isZero()) {
      return Long.MAX_VALUE;
    }
    try {
      return deadline.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE - 1; // 292 years.
    }
  }

  static Duration requireNotNegative(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative, zero means none: " + deadline);
    }
    return deadline;
  }

  /** Ends all calls that have no answer yet, and refuses more until {@link #resume}. */
  public void suspend(GridException why) {
    suspended = why;
    pending.forEach(call -> call.fail(suspended(why, true)));
  }

  /** Lets calls out again. */
  public void resume() {
    suspended = null;
  }

  private static GridException suspended(GridException why, boolean mayHaveRun) {
    return new GridException(
        why.status(), String.valueOf(why.getMessage()), mayHaveRun, null, null);
  }

  /** Ends all calls that have no answer yet. */
  public void close(GridException why) {
    if (reason == null) { // What fenced it first stays the reason.
      reason = why;
    }
    closed = true;
    pending.forEach(call -> call.fail(closed(true)));
    cancelling.close(() -> closed(true));
  }

  /** Returns the number of calls without an answer; what tells of cancelled ones is none. */
  public int outstanding() {
    return (int)
        pending.stream().filter(call -> !call.call().kind().equals(CancelRequests.KIND)).count();
  }

  /** Returns the calls without an answer. */
  public List<OpenCall> openCalls() {
    return pending.stream().map(ClientCall::open).toList();
  }

  private GridException closed(boolean mayHaveRun) {
    GridException why = reason;
    return why != null && why.status() == Status.FENCED
        ? new GridException(why.status(), String.valueOf(why.getMessage()), mayHaveRun, null, null)
        : new GridException(
            Status.CLOSED, "worker " + self.name() + " has left the grid", mayHaveRun, null, null);
  }

  /** Makes of what went wrong on the way what the caller shall know. */
  GridException lost(CallInfo call, GridException failure) {
    boolean stopping = failure.status() == Status.CLOSED || failure.status() == Status.CANCELLED;
    if (stopping && (closed || !directory.isActive())) {
      return closed(true);
    }
    // Nobody cancels a message: that, too, is the callee's member going down.
    if (failure.status() != Status.WORKER_LOST && !stopping) {
      return failure;
    }
    Worker callee = call.callee();
    String message =
        "worker %s %s before it answered %s: %s"
            .formatted(
                callee.name(), directory.fate(callee.id()), call.function(), failure.getMessage());
    return new GridException(Status.WORKER_LOST, message, failure.mayHaveRun(), null, failure);
  }

  /** Sends a request that found no room once more, after a pause. */
  void sendLater(ClientCall<?> call, ClientCall.Sending last) {
    deadlines.after(
        ClientCall.pauseNanos(last.refusals(), ThreadLocalRandom.current().nextDouble()),
        () -> {
          if (last.request().leftNanos() > 0 && !call.hasEnded()) {
            Request request = last.request().again(last.request().sending());
            completions.execute(
                () -> transport.send(request.callee(), last.member(), request, call));
          }
        });
  }

  void ended(ClientCall<?> call) {
    pending.remove(call);
    deadlines.remove(call);
  }

  /** A call has ended, and what its caller hung on to its future has run. */
  void settled(Outgoing request) {
    if (!request.call().kind().isGroup()) {
      settled.increment();
    }
  }

  /** Returns the number of calls that leaving waits for: what hangs on to them has not run. */
  public long unsettled() {
    return activity(0).outstanding();
  }

  /** Returns what is under way, with the calls that are served here. */
  public Activity activity(int serving) {
    long ended = settled.sum(); // First: a call is begun before it ends.
    return new Activity(begun.sum(), ended, serving);
  }
}
