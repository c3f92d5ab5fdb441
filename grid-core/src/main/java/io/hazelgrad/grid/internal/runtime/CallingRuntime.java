package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.CallFuture;
import io.hazelgrad.grid.internal.call.Caller;
import io.hazelgrad.grid.internal.call.CallerRpc;
import io.hazelgrad.grid.internal.call.FaultInjector;
import io.hazelgrad.grid.internal.call.ProvingTransport;
import io.hazelgrad.grid.internal.call.RetryScheduler;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.BackgroundTasks;
import io.hazelgrad.grid.internal.concurrent.Permit;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.internal.function.CallerRoles;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.RemoteFunction.ServiceFunction;
import io.hazelgrad.grid.internal.hazelcast.CompactSerializers;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.tasks.MemberWaits;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.ObjectCodecs;
import io.hazelgrad.grid.internal.wire.StoredValueCodec;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.FaultPolicy;
import io.hazelgrad.grid.spi.GraphCatalog;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.OperatorCatalog;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.spi.ServiceCaller;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WorkerDirectory;
import java.time.Duration;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of a worker and a client: the parts that call, and with them most of the view
 * that extensions get. {@link GridRuntime} adds what is called, {@link ClientRuntime} nothing.
 */
abstract class CallingRuntime implements GridContext {
  private static final Logger LOG = LoggerFactory.getLogger(CallingRuntime.class);

  final HazelcastInstance hazelcast;
  final HazelgradConfig config;
  final GridThreads threads;
  final BackgroundTasks tasks;
  final Directory directory;
  final Worker self;
  final Codecs codecs;
  final Proofs proofs;
  final MessageCodec wire;
  final FunctionRegistry registry;
  final Caller caller;
  final RetryScheduler retries;
  private final Transport transport;
  private final StoredValueCodec storedValues;
  private final FaultInjector faults;
  private final Set<MessageKind> kinds = ConcurrentHashMap.newKeySet();
  private final Map<String, LongSupplier> gauges = new ConcurrentHashMap<>();
  private final List<Object> services = new CopyOnWriteArrayList<>();
  private final List<Consumer<Worker>> lossListeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> resumeListeners = new CopyOnWriteArrayList<>();
  private final Deque<Runnable> closers = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private @Nullable UUID membershipListener;
  private volatile @Nullable GridException ended;
  private volatile @Nullable GridException suspended;
  private volatile boolean leavesWithAll;
  private volatile @Nullable GridException closeFailure;

  /**
   * Makes the parts; nobody sees them yet.
   *
   * @param serialization how values travel on this instance
   * @param incarnation what the members know this process by
   * @param proofs what it proves to others that it has the secret by
   * @param transport makes the transport, when what it needs is there
   */
  CallingRuntime(
      HazelcastInstance hazelcast,
      HazelgradConfig config,
      Config serialization,
      UUID incarnation,
      Proofs proofs,
      BiFunction<Directory, GridThreads, Transport> transport) {
    this.hazelcast = hazelcast;
    this.config = config;
    this.proofs = proofs;
    this.threads = new GridThreads(config);
    this.tasks = new BackgroundTasks(threads.background, threads.timer, () -> refusal() != null);
    this.retries = new RetryScheduler(threads.timer, threads.completions);
    ClassLoader loader = loader(serialization);
    AllowList allowed = new AllowList(config.functions(), config.values(), loader);
    this.codecs = new Codecs(config.codecs());
    this.wire =
        new MessageCodec(
            allowed, codecs, new ObjectCodecs(CompactSerializers.of(serialization, loader)));
    this.registry = new FunctionRegistry(allowed, config.functionRoles());
    wire.add(new CallerRoles.Messages(config.roles()));
    try {
      this.directory =
          new Directory(hazelcast, threads.background, worker -> tasks.run(() -> announce(worker)));
      this.transport =
          ProvingTransport.over(transport.apply(directory, threads), new CallProofs(proofs));
      this.faults = new FaultInjector(this.transport, threads.timer, threads.completions);
      this.self = directory.create(config.name(), incarnation);
    } catch (Throwable e) {
      threads.close();
      throw e;
    }
    this.storedValues = wire.kept(self);
    this.caller =
        new Caller(
            self,
            directory,
            faults,
            wire,
            registry,
            isClient(),
            this::clientsKnown,
            threads.completions,
            threads.deadlines);
  }

  private static ClassLoader loader(Config running) {
    return Stream.of(running.getClassLoader(), Thread.currentThread().getContextClassLoader())
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(HazelgradConfig.class::getClassLoader);
  }

  /** Returns the clients of the grid that are known here within a time, which may be none. */
  abstract Collection<Worker> clientsKnown(long withinNanos);

  /** Offers the service of an extension that has started. */
  final void offer(@Nullable Object service) {
    if (service != null) {
      services.add(service);
    }
  }

  /** A member has left: tells of the worker on it, once; the map that names it is asked last. */
  final @Nullable Worker lost(UUID member) {
    transport.memberLost(member);
    Worker known = directory.forget(member);
    if (known != null) {
      announce(known);
    }
    tasks.runPeriodic();
    // The map last: a frozen member may hold this part of it.
    Worker entered = known == null ? directory.entered(member) : known;
    if (known == null && entered != null) {
      announce(entered);
    }
    return entered;
  }

  final void listen(MembershipListener listener) {
    membershipListener = hazelcast.getCluster().addMembershipListener(listener);
  }

  void stopListening() {
    if (membershipListener != null) {
      hazelcast.getCluster().removeMembershipListener(membershipListener);
    }
    directory.close();
  }

  void announce(Worker worker) {
    transport.workerLost(worker);
    if (worker.id() != self.id()) {
      LOG.info("worker {} left the grid", worker.name());
      lossListeners.forEach(listener -> tasks.guarded(() -> listener.accept(worker)));
    }
  }

  /** Refuses work from now on, and ends the calls that are under way. */
  final void suspendWork(GridException reason) {
    suspended = reason;
    retries.suspend();
    caller.suspend(reason);
  }

  /** Accepts work again. What was lost meanwhile is repaired in the background. */
  final void resumeWork() {
    suspended = null;
    retries.resume();
    caller.resume();
    tasks.runPeriodic();
    resumeListeners.forEach(tasks::run);
  }

  /** Returns the reason while this worker is suspended, else null. */
  final @Nullable GridException suspended() {
    return suspended;
  }

  /** From now on nothing is held that the others know of. The first reason stays. */
  final GridException end(GridException reason) {
    GridException first = Objects.requireNonNullElse(ended, reason);
    ended = first;
    return first;
  }

  /** Ends the extensions, the last first, once. */
  final void endExtensions() {
    for (Runnable closer = closers.poll(); closer != null; closer = closers.poll()) {
      tasks.guarded(closer);
    }
  }

  /** Lets nothing out any more, and ends what has no answer. */
  final void endCalls(GridException reason) {
    caller.close(reason);
    retries.close(reason);
    transport.close();
  }

  /** Lets go what it holds, tells the others that it has gone, and ends its threads; once. */
  final void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    String left = (isClient() ? "client " : "worker ") + self.name() + " has left the grid";
    GridException reason = end(new GridException(Status.CLOSED, left));
    endExtensions();
    depart(reason);
    tasks.guarded(this::stopListening);
    threads.close();
    GridException failure = closeFailure;
    if (failure != null) {
      throw failure;
    }
  }

  /** Ends the calls, and tells the others that this worker or client leaves unless it is fenced. */
  abstract void depart(GridException reason);

  public final Rpc rpc() {
    return new CallerRpc(caller, new Caller.Options(config.callTimeout(), true, false));
  }

  @Override
  public final @Nullable GridException ended() {
    return ended;
  }

  @Override
  public final @Nullable GridException refusal() {
    GridException end = ended;
    return end == null ? suspended : end;
  }

  @Override
  public void leaveWithAll() {
    leavesWithAll = true;
  }

  @Override
  public final boolean leavesWithAll() {
    return leavesWithAll;
  }

  @Override
  public final HazelgradConfig config() {
    return config;
  }

  @Override
  public final Proofs proofs() {
    return proofs;
  }

  @Override
  public final Worker self() {
    return self;
  }

  @Override
  public final HazelcastInstance hazelcast() {
    return hazelcast;
  }

  @Override
  public final <S> S service(Class<S> type) {
    for (Object service : services) {
      if (type.isInstance(service)) {
        return type.cast(service);
      }
    }
    String hint = isClient() ? " to clients" : "; is its jar missing?";
    throw new GridException(
        Status.BAD_CONFIG, "no module on the class path offers " + type.getName() + hint);
  }

  @Override
  public final void hook(ValueHook hook) {
    wire.add(hook);
  }

  @Override
  public final void interceptor(CallInterceptor interceptor) {
    wire.add(interceptor);
  }

  @Override
  public final void handler(String name, Handler.Lane lane, Handler handler) {
    registry.service(name, lane, handler);
  }

  @Override
  public final void operators(OperatorCatalog catalog) {
    registry.operators(catalog);
  }

  @Override
  public final void graphs(GraphCatalog catalog) {
    registry.graphs(catalog);
  }

  /**
   * Returns the living workers.
   *
   * @throws GridException TIMEOUT if that took longer than a call may
   */
  public final List<Worker> workers() {
    long patience = Caller.limit(config.callTimeout());
    return caller.whileOpen(() -> directory.workers(patience));
  }

  @Override
  public final Worker worker(String name, Duration patience) {
    return caller.find(name, patience);
  }

  @Override
  public final <R> CompletableFuture<R> call(
      Worker callee, String service, List<@Nullable Object> arguments, Duration timeout) {
    return call(callee, new ServiceFunction<>(service), arguments, timeout, message -> {});
  }

  @Override
  public final <R> CompletableFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Duration timeout,
      Consumer<Outgoing> setUp) {
    return caller.call(callee, function, arguments, Caller.Options.within(timeout), setUp);
  }

  @Override
  public final byte[] toBytes(@Nullable Object value) {
    return storedValues.encode(value);
  }

  @Override
  public final @Nullable Object fromBytes(byte[] bytes) {
    return storedValues.decode(bytes);
  }

  @Override
  public final <T> T await(Supplier<CompletableFuture<T>> call) {
    return caller.await(call);
  }

  @Override
  public final <T> T awaitSteps(
      java.util.function.Function<ServiceCaller, CompletableFuture<T>> work) {
    return caller.awaitSteps(work);
  }

  @Override
  public final <T> T await(CompletableFuture<T> future) {
    return CallFuture.await(future);
  }

  @Override
  public final <T> T waiting(Supplier<T> wait) {
    Permit held = Permit.pause();
    try {
      return wait.get();
    } finally {
      Permit.resume(held);
    }
  }

  @Override
  public final MessageKind messageKind(String name) {
    MessageKind kind = new MessageKind(name);
    kinds.add(kind);
    return kind;
  }

  @Override
  public final Set<MessageKind> kinds() {
    Set<MessageKind> all = new HashSet<>(kinds);
    for (MessageKind kind :
        List.of(MessageKind.OPERATOR, MessageKind.FUNCTION, MessageKind.GRAPH)) {
      all.addAll(List.of(kind, kind.creation()));
    }
    registry.services().forEach(service -> all.add(MessageKind.service(service)));
    return all;
  }

  @Override
  public final <T extends @Nullable Object> CompletableFuture<T> sending(
      MessageKind kind, @Nullable Worker to, Supplier<CompletionStage<T>> send) {
    return retries.run(attempt -> faults.send(kind, to, attempt, send));
  }

  @Override
  public final <T extends @Nullable Object> CompletableFuture<T> retrying(
      Supplier<CompletionStage<T>> send) {
    return retries.run(attempt -> send.get());
  }

  @Override
  public final void disturb(@Nullable FaultPolicy disturber) {
    faults.set(disturber);
  }

  @Override
  public final void gauge(String name, LongSupplier figure) {
    if (gauges.putIfAbsent(name, figure) != null) {
      throw new IllegalStateException("two figures are named " + name);
    }
  }

  @Override
  public final Map<String, Long> figures() {
    Map<String, Long> figures = new HashMap<>();
    gauges.forEach((name, figure) -> figures.put(name, figure.getAsLong()));
    return figures;
  }

  @Override
  public final @Nullable Long figure(String name) {
    LongSupplier figure = gauges.get(name);
    return figure == null ? null : figure.getAsLong();
  }

  /** Offers the access to what all workers wait for. */
  final void addWaits() {
    offer(new MemberWaits(hazelcast, proofs, MemberConfiguration::knowsUs));
  }

  /** Offers the figures of the calls that are made here. */
  final void addCallerGauges() {
    gauge("agent.client_active_calls", caller::outstanding);
    gauge("agent.client_unsettled_calls", caller::unsettled);
    gauge("agent.deadlines", threads.deadlines::size);
  }

  @Override
  public final <T extends @Nullable Object> CompletableFuture<T> newFuture() {
    return new CallFuture<>(threads.completions);
  }

  @Override
  public final WorkerDirectory directory() {
    return directory;
  }

  @Override
  public final void onLost(Consumer<Worker> listener) {
    lossListeners.add(listener);
  }

  @Override
  public final void onResume(Runnable work) {
    resumeListeners.add(work);
  }

  @Override
  public final void every(Duration period, Runnable work) {
    try {
      tasks.every(period, work);
    } catch (RejectedExecutionException e) { // It ends while it starts.
      GridException why = ended;
      throw why != null
          ? why
          : new GridException(Status.CLOSED, self.name() + " is closing while it starts", e);
    }
  }

  @Override
  public final ExecutorService background() {
    return threads.background;
  }

  @Override
  public final ScheduledExecutorService timer() {
    return threads.timer;
  }

  @Override
  public final void failClose(GridException why) {
    closeFailure = why;
  }

  @Override
  public final void onClose(Runnable work) {
    closers.addFirst(work);
  }
}
