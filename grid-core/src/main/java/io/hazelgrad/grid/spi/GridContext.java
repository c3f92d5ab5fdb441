package io.hazelgrad.grid.spi;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The view that an extension has of the grid, or of the client, that starts it. */
public interface GridContext extends ServiceCaller {
  /** Returns the grid; throws BAD_ARGUMENT on a client, which has none. */
  Grid grid();

  /**
   * Returns whether this is a client. Nothing calls a client, so services added here are only known
   * by name, and it is not among the living workers of the {@link #directory}.
   */
  boolean isClient();

  /** Returns the configuration of this worker or client. */
  HazelgradConfig config();

  /** Returns the proofs that messages of this worker or client carry. */
  Proofs proofs();

  /** Returns this worker or client. */
  Worker self();

  /**
   * Returns a living worker; throws UNKNOWN_WORKER if none has the name, and TIMEOUT if a search
   * beyond this worker takes longer than {@code patience}, zero for no limit.
   */
  Worker worker(String name, Duration patience);

  /** Returns the Hazelcast instance below. */
  HazelcastInstance hazelcast();

  /** Returns the service of an extension that was started before. */
  <S> S service(Class<S> type);

  /** Adds a hook for values. Only while starting. */
  void hook(ValueHook hook);

  /** Adds an interceptor. Only while starting. */
  void interceptor(CallInterceptor interceptor);

  /** Adds a service that other workers' {@link #call} reaches. Only while starting. */
  void handler(String name, Handler.Lane lane, Handler handler);

  /** Adds a service that answers later. Only while starting. */
  default void asyncHandler(String name, Handler.Async handler) {
    asyncHandler(name, Handler.Lane.CONTROL, handler);
  }

  /** As above; the handler itself may take as long as its lane allows. */
  @SuppressWarnings("FutureReturnValueIgnored") // The call waits for it, whatever hands it out.
  default void asyncHandler(String name, Handler.Lane lane, Handler.Async handler) {
    handler(name, lane, handler::handle);
  }

  /** Sets the operators. Only while starting, and once. */
  void operators(OperatorCatalog catalog);

  /** Sets the graphs. Only while starting, and once. */
  void graphs(GraphCatalog catalog);

  /** Calls any function; {@code setUp} makes attachments, and a timeout of zero is none. */
  <R> CompletableFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Duration timeout,
      Consumer<Outgoing> setUp);

  /**
   * Writes a value as bytes that any worker can read later, in the form in which it would travel.
   * Tensors are written whole. A reference or variable, which lives in messages only, is refused.
   *
   * @throws GridException BAD_VALUE or NOT_ALLOWED, with the path to what cannot be written
   */
  byte[] toBytes(@Nullable Object value);

  /** Reads what {@link #toBytes} wrote; throws BAD_VALUE or NOT_ALLOWED for any other bytes. */
  @Nullable Object fromBytes(byte[] bytes);

  /**
   * Begins a call, without waiting, and then waits for its future. This is faster than waiting for
   * a future that is there already, since the waiting thread itself takes the reply.
   */
  <T> T await(Supplier<CompletableFuture<T>> call);

  /**
   * Begins work that takes many calls, one after the other, and waits for the future that is made
   * of it. The waiting thread takes the replies to all calls of the caller that it gives, and runs
   * what hangs on to them: that saves waking another thread for each. The work does not wait for
   * its future, and nothing that hangs on to its calls waits for another of them, as no other
   * thread would take the reply.
   */
  <T> T awaitSteps(java.util.function.Function<ServiceCaller, CompletableFuture<T>> work);

  /** Waits for a future of the grid without holding a permit of the gate. */
  <T> T await(CompletableFuture<T> future);

  /** Waits in a way of the caller's own, without holding a permit of the gate. */
  <T> T waiting(Supplier<T> wait);

  /** Names a kind of {@link #sending}, such as {@code rref.claim}. Only while starting. */
  MessageKind messageKind(String name);

  /** Returns all kinds of messages that this worker can send. */
  Set<MessageKind> kinds();

  /**
   * Sends a control message that is no call, such as an entry processor. It must be idempotent: if
   * it fails on its way it is sent again, up to five times within 1.6 s; for up to 15 s if a member
   * refused it that lacks the quorum. {@code to} is null if the receiver is not one worker.
   */
  <T extends @Nullable Object> CompletableFuture<T> sending(
      MessageKind kind, @Nullable Worker to, Supplier<CompletionStage<T>> send);

  /** Calls, and calls again if that failed on its way; for idempotent calls of services. */
  <T extends @Nullable Object> CompletableFuture<T> retrying(Supplier<CompletionStage<T>> call);

  /** Sets what goes wrong with messages from now on, for tests; null for nothing. */
  void disturb(@Nullable FaultPolicy disturber);

  /**
   * Adds a figure of the process, such as {@code rref.num_owner_rrefs}; the name begins with the
   * module's. Only while starting. Any thread may ask it, so it must be quick.
   */
  void gauge(String name, LongSupplier figure);

  /** Returns the figures of the process as of now, by name. */
  Map<String, Long> figures();

  /** Returns one figure of the process as of now, or null if there is none of this name. */
  @Nullable Long figure(String name);

  /**
   * Makes a future of the grid: waiting for it, or for one derived from it, in a called function
   * gives the function's permit up, and stages without an executor run on the grid's threads.
   */
  <T extends @Nullable Object> CompletableFuture<T> newFuture();

  /** Returns the deadline of calls that name none. */
  default Duration callTimeout() {
    return config().callTimeout();
  }

  /** Returns the workers and clients of the grid, as this one sees them. */
  WorkerDirectory directory();

  /** Returns what is under way at this worker. */
  Activity activity();

  /** Adds a listener that hears, on a background thread, of each worker that was lost or left. */
  void onLost(Consumer<Worker> listener);

  /**
   * Adds a listener that hears, on a background thread and once, of each client that closed or was
   * lost: no member had a connection of it for {@link HazelgradConfig#clientGrace()}. The client's
   * calls have been ended here by then, and its later requests are refused. If it comes back it is
   * another caller, with another id.
   */
  void onClientGone(Consumer<Worker> listener);

  /** Returns how often leftovers of lost workers are to be looked for. */
  default Duration reconcileEvery() {
    return config().reconcileEvery();
  }

  /**
   * Repeats work on a background thread until the grid closes, and whenever a member has left. Runs
   * may overlap.
   */
  void every(Duration period, Runnable work);

  /** Returns threads for work in the background; they may block. */
  ExecutorService background();

  /** Returns a timer; what it runs must be short. */
  ScheduledExecutorService timer();

  /**
   * Returns why this worker or client has ended, or null. CLOSED if it was closed; FENCED if it was
   * cut off from the others: then everything held here is to be dropped without a message, and
   * another incarnation with extensions of its own will follow.
   */
  @Nullable GridException ended();

  /**
   * Returns why this worker or client does no work now, or null. It is {@link #ended} or, while a
   * worker lacks the quorum, FENCED: then what is held is kept, and work goes on later.
   */
  @Nullable GridException refusal();

  /** Adds work that is done in the background each time this worker has regained the quorum. */
  void onResume(Runnable work);

  /** Notes that all workers leave together, before this one closes. */
  void leaveWithAll();

  /**
   * Returns whether all workers leave together. Then nothing is handed over at the end, since
   * nobody stays to take it.
   */
  boolean leavesWithAll();

  /** Lets the close of this worker or client fail with an error, when everything is released. */
  void failClose(GridException why);

  /** Adds work for this worker's end, in reverse order. {@link #ended} says why it ends. */
  void onClose(Runnable work);
}
