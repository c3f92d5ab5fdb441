package io.hazelgrad.grid;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.spi.Activity;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Disturber;
import io.hazelgrad.grid.spi.GraphCatalog;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.OperatorCatalog;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a grid, put together; and the view of them that extensions get. */
final class GridRuntime implements GridContext {
  private static final Duration SWEEP = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(GridRuntime.class);

  private final Grid grid;
  private final HazelcastInstance hazelcast;
  private final HazelgradConfig config;
  private final GridThreads threads;
  private final Directory directory;
  private final Worker self;
  private final Codecs codecs;
  private final Wire wire;
  private final Callables callables;
  private final Caller caller;
  private final Disturbances disturbances;
  private final Retries retries;
  private final Set<MessageKind> kinds = ConcurrentHashMap.newKeySet();
  private final Figures figures = new Figures();
  private final Callee callee;
  private final List<Object> services = new CopyOnWriteArrayList<>();
  private final Clients clients;
  private final List<Consumer<Worker>> lossListeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Worker>> clientListeners = new CopyOnWriteArrayList<>();
  private final Chores chores;
  private final Deque<Runnable> closers = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private @Nullable UUID membershipListener;
  private volatile @Nullable GridException ended;

  GridRuntime(Grid grid, HazelcastInstance hazelcast, HazelgradConfig config) {
    this.grid = grid;
    this.hazelcast = hazelcast;
    this.config = config;
    this.threads = new GridThreads(config);
    this.chores = new Chores(threads, closed::get);
    AllowList allowed = config.allowList(hazelcast.getConfig());
    this.codecs = config.newCodecs();
    this.wire = new Wire(allowed, codecs, config.objectForms(hazelcast.getConfig()));
    this.callables = new Callables(allowed);
    this.retries = new Retries(threads.timer(), threads.completions());
    try {
      disturbances =
          new Disturbances(
              new HazelcastTransport(grid, hazelcast), threads.timer(), threads.completions());
      this.directory = new Directory(hazelcast, worker -> chores.run(() -> announce(worker)));
      this.self =
          directory.create(config.name(), hazelcast.getCluster().getLocalMember().getUuid());
    } catch (Throwable e) {
      threads.close();
      throw e;
    }
    this.callee =
        new Callee(
            grid,
            self,
            callables,
            wire,
            config.maxRequestBytes(),
            threads.lanes(),
            threads.deadlines(),
            threads.completions());
    this.caller =
        new Caller(
            self,
            directory,
            disturbances,
            wire,
            allowed,
            callables,
            threads.completions(),
            threads.deadlines());
    this.clients = new Clients(hazelcast, client -> chores.run(() -> gone(client)));
  }

  /** Enters the directory, starts the extensions, then lets calls in that wait already. */
  void start() {
    addGauges();
    membershipListener = hazelcast.getCluster().addMembershipListener(new Membership());
    directory.enter(self);
    directory.workers();
    for (GridExtension extension : MemberSetup.extensions(hazelcast.getConfig())) {
      services.add(extension.start(this));
    }
    callables.service(Caller.CANCEL, Handler.Lane.CONTROL, callee::cancel);
    every(SWEEP, callee::sweep);
    clients.start();
    every(config.reconcileEvery(), clients::reconcile);
    ClientLosses losses = new ClientLosses(hazelcast, directory, clients, config.clientGrace());
    every(losses.period(), losses::look);
    callee.open();
  }

  private void lost(UUID member) {
    Worker known = directory.forget(member);
    if (known != null) {
      announce(known);
    }
    chores.runPeriodic();
    // The map last: a frozen member may hold this part of it.
    Worker entered = known == null ? directory.entered(member) : known;
    if (entered == null) {
      return;
    }
    if (known == null) {
      announce(entered);
    }
    var unused = retrying(() -> directory.removeLost(entered));
  }

  private void announce(Worker worker) {
    callee.lost(worker.id());
    if (worker.id() != self.id()) {
      LOG.info("worker {} left the grid", worker.name());
      lossListeners.forEach(listener -> chores.guarded(() -> listener.accept(worker)));
    }
  }

  private void gone(Worker client) {
    callee.gone(client);
    clientListeners.forEach(listener -> chores.guarded(() -> listener.accept(client)));
  }

  /** Follows which members come and go. */
  private final class Membership extends MembershipAdapter {
    @Override
    public void memberAdded(MembershipEvent event) {
      if (!MemberSetup.isPrepared(event.getMember())) {
        LOG.error(
            "member {} joined without HazelgradConfig.prepare(...); every data member needs it",
            event.getMember().getAddress());
      }
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
      chores.run(() -> lost(event.getMember().getUuid()));
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  @Override
  public @Nullable GridException ended() {
    return ended;
  }

  /** Lets nothing in or out any more, at once. The rest of the work is {@link #close}'s. */
  void fence(GridException reason) {
    ended = reason;
    callee.close();
    caller.close(reason);
    retries.close(reason);
  }

  void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    GridException fenced = ended;
    GridException reason =
        fenced == null
            ? new GridException(Status.CLOSED, "worker " + self.name() + " has left the grid")
            : fenced;
    ended = reason;
    List<Runnable> reversed = new ArrayList<>();
    synchronized (closers) {
      closers.descendingIterator().forEachRemaining(reversed::add);
    }
    reversed.forEach(chores::guarded);
    if (fenced == null) { // Else it is no part of the grid any more; the others clear up after it.
      chores.guarded(() -> directory.leave(self));
    }
    callee.close();
    caller.close(reason);
    retries.close(reason);
    chores.guarded(this::stopListening);
    threads.close();
  }

  private void stopListening() {
    if (membershipListener != null) {
      hazelcast.getCluster().removeMembershipListener(membershipListener);
    }
    clients.close();
    directory.close();
  }

  Codecs codecs() {
    return codecs;
  }

  Directory directory() {
    return directory;
  }

  Caller caller() {
    return caller;
  }

  Callee callee() {
    return callee;
  }

  Rpc rpc() {
    return new Rpc(caller, new Caller.Options(config.callTimeout(), true, false));
  }

  @Override
  public Grid grid() {
    return grid;
  }

  @Override
  public HazelgradConfig config() {
    return config;
  }

  @Override
  public Worker self() {
    return self;
  }

  @Override
  public HazelcastInstance hazelcast() {
    return hazelcast;
  }

  @Override
  public <S> S service(Class<S> type) {
    for (Object service : services) {
      if (type.isInstance(service)) {
        return type.cast(service);
      }
    }
    throw new GridException(
        Status.BAD_CONFIG,
        "no module on the class path offers " + type.getName() + "; is its jar missing?");
  }

  @Override
  public void hook(ValueHook hook) {
    wire.add(hook);
  }

  @Override
  public void interceptor(CallInterceptor interceptor) {
    wire.add(interceptor);
  }

  @Override
  public void handler(String name, Handler.Lane lane, Handler handler) {
    callables.service(name, lane, handler);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The call waits for it, whatever hands it out.
  public void asyncHandler(String name, Handler.Async handler) {
    callables.service(name, Handler.Lane.CONTROL, handler::handle);
  }

  @Override
  public void operators(OperatorCatalog catalog) {
    callables.operators(catalog);
  }

  @Override
  public void graphs(GraphCatalog catalog) {
    callables.graphs(catalog);
  }

  @Override
  public <R> CompletableFuture<R> call(
      Worker callee, String service, List<@Nullable Object> arguments, Duration timeout) {
    return caller.call(callee, new ServiceFunction<>(service), arguments, timeout);
  }

  @Override
  public <R> CompletableFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Duration timeout,
      Consumer<Outgoing> setUp) {
    return caller.call(callee, function, arguments, timeout, setUp);
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    return CallFuture.await(future);
  }

  @Override
  public <T> T waiting(Supplier<T> wait) {
    try {
      return Permit.waiting(wait::get);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("a supplier threw what it does not declare", e);
    }
  }

  @Override
  public MessageKind messageKind(String name) {
    MessageKind kind = new MessageKind(name);
    kinds.add(kind);
    return kind;
  }

  @Override
  public Set<MessageKind> kinds() {
    Set<MessageKind> all = new HashSet<>(kinds);
    for (MessageKind kind :
        List.of(MessageKind.OPERATOR, MessageKind.FUNCTION, MessageKind.GRAPH)) {
      all.add(kind);
      all.add(kind.creation());
    }
    callables.services().forEach(service -> all.add(MessageKind.service(service)));
    return all;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> sending(
      MessageKind kind, @Nullable Worker to, Supplier<CompletionStage<T>> send) {
    return retries.run(attempt -> disturbances.send(kind, to, attempt, send));
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> retrying(
      Supplier<CompletionStage<T>> send) {
    return retries.run(attempt -> send.get());
  }

  @Override
  public void disturb(@Nullable Disturber disturber) {
    disturbances.set(disturber);
  }

  @Override
  public void gauge(String name, LongSupplier figure) {
    figures.add(name, figure);
  }

  @Override
  public Map<String, Long> figures() {
    return figures.now();
  }

  /** Offers the figures of calls. */
  private void addGauges() {
    CallPool user = threads.lanes().user();
    CallPool control = threads.lanes().control();
    gauge("agent.client_active_calls", caller::outstanding);
    gauge("agent.client_unsettled_calls", caller::unsettled);
    gauge("agent.server_active_calls", callee::active);
    gauge("agent.server_queued_calls", () -> user.queued() + control.queued());
    gauge("agent.server_waiting_calls", user::waiting);
    gauge("agent.server_known_callers", callee::callers);
    gauge("agent.deadlines", threads.deadlines()::size);
    gauge("agent.thread_pool_size", config::maxRunning);
    gauge("agent.num_idle_threads", user::free);
    QuorumKeeper keeper = QuorumKeeper.of(hazelcast);
    if (keeper != null) {
      keeper.addGauges(this);
    }
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> newFuture() {
    return new CallFuture<>(threads.completions());
  }

  @Override
  public Duration callTimeout() {
    return config.callTimeout();
  }

  @Override
  public Map<Long, Worker> living() {
    return directory.living();
  }

  @Override
  public @Nullable Worker byId(long id) {
    return directory.byId(id);
  }

  @Override
  public @Nullable String nameOf(long id) {
    return directory.nameOf(id);
  }

  @Override
  public @Nullable Worker on(UUID member) {
    return directory.on(member);
  }

  @Override
  public void noteLeft(Worker worker) {
    directory.noteLeft(worker);
  }

  @Override
  public Activity activity() {
    return caller.activity(callee.serving());
  }

  @Override
  public boolean hasLeft(long id) {
    return directory.hasLeft(id);
  }

  @Override
  public void onLost(Consumer<Worker> listener) {
    lossListeners.add(listener);
  }

  @Override
  public void every(Duration period, Runnable work) {
    chores.every(period, work);
  }

  @Override
  public void onClientGone(Consumer<Worker> listener) {
    clientListeners.add(listener);
  }

  @Override
  public Duration reconcileEvery() {
    return config.reconcileEvery();
  }

  @Override
  public ExecutorService background() {
    return threads.background();
  }

  @Override
  public ScheduledExecutorService timer() {
    return threads.timer();
  }

  @Override
  public void onClose(Runnable work) {
    synchronized (closers) {
      closers.addLast(work);
    }
  }
}
