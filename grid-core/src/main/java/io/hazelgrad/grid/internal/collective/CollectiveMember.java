package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.internal.collective.RoundSignature.Kind;
import io.hazelgrad.grid.internal.collective.vector.ElementTypes;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import io.hazelgrad.grid.internal.collective.vector.FlatVector;
import io.hazelgrad.grid.internal.collective.vector.Results;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One worker's membership in a collective: checks the arguments, numbers the rounds, and ends them
 * all when one fails.
 *
 * <p>Threads: safe. {@link RoundQueue} runs one round at a time.
 */
final class CollectiveMember implements Collective {
  private static final Tensor NOTHING = Tensor.zeros(DType.INT32, 1);

  private final String name;
  private final List<Worker> members;
  private final int rank;
  private final HostMap hosts;
  private final CollectiveOptions options;
  private final CollectiveMessages messages;
  private final CollectiveEnd end = new CollectiveEnd();
  private final Inbox inbox;
  private final Outbox outbox;
  private final Exchange exchange;
  private final RoundQueue rounds;
  private final Consumer<CollectiveMember> onClose;
  private final AtomicLong numbers = new AtomicLong();

  /** The number of rounds that have ended well here. */
  private volatile long completed;

  /** The round that runs or ran last. */
  private volatile RoundControl current;

  /** The thread that began the last round, or joined the collective. */
  private volatile long thread = Thread.currentThread().getId();

  private final AtomicLong waitedNanos = new AtomicLong();

  /** The last steps of the training that uses the collective, and when they were noted. */
  private record NotedSteps(TrainingSteps last, long nanoTime) {}

  private volatile @Nullable NotedSteps noted;

  CollectiveMember(
      GridContext context,
      String name,
      List<Worker> members,
      int rank,
      Joining.Memory shared,
      @Nullable RingChannels channels,
      CollectiveOptions options,
      CollectiveMessages messages,
      Consumer<CollectiveMember> onClose) {
    this.name = name;
    this.members = members;
    this.rank = rank;
    this.hosts = shared.hosts();
    this.options = options;
    this.messages = messages;
    this.onClose = onClose;
    this.inbox = new Inbox(context, members);
    this.outbox = new Outbox(name, members, messages, this::fail);
    this.exchange =
        new Exchange(
            hosts,
            rank,
            hostExchange(shared.memory()),
            new Ring(ringLink(channels), hosts.count(), hosts.hostOf(rank)));
    this.current = control(0, () -> "the first round");
    this.rounds = new RoundQueue(context, "hazelgrad-collective-" + name);
  }

  private @Nullable HostExchange hostExchange(@Nullable HostMemory memory) {
    List<Worker> here = hosts.membersOf(hosts.hostOf(rank)).stream().map(members::get).toList();
    return memory == null ? null : new HostExchange(memory, here, hosts.placeOf(rank));
  }

  private RingLink ringLink(@Nullable RingChannels channels) {
    List<Integer> leaders = hosts.leaders();
    int place = hosts.hostOf(rank);
    int previous = leaders.get((place + leaders.size() - 1) % leaders.size());
    int next = leaders.get((place + 1) % leaders.size());
    return channels == null
        ? new CallLink(inbox, outbox, members, previous, next)
        : new SocketLink(channels, members.get(previous), members.get(next));
  }

  // ---- Collective ----

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Worker> members() {
    return members;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int hosts() {
    return hosts.count();
  }

  @Override
  public CompletableFuture<List<Tensor>> allReduce(List<Tensor> tensors, Reduction reduction) {
    return ElementTypes.reducing(
        tensors,
        reduction,
        same -> {
          Results results = new Results(same.get(0).dtype(), shapes(same));
          return allReduce(same, results, reduction, results::tensors);
        });
  }

  @Override
  public CompletableFuture<@Nullable Void> allReduceInPlace(float[] elements, Reduction reduction) {
    return allReduceInPlace(Results.over(DType.FLOAT32, elements, elements.length), reduction);
  }

  @Override
  public CompletableFuture<@Nullable Void> allReduceInPlace(
      double[] elements, Reduction reduction) {
    return allReduceInPlace(Results.over(DType.FLOAT64, elements, elements.length), reduction);
  }

  private CompletableFuture<@Nullable Void> allReduceInPlace(Results array, Reduction reduction) {
    return allReduce(array.tensors(), array, reduction, () -> null);
  }

  private <T extends @Nullable Object> CompletableFuture<T> allReduce(
      List<Tensor> same, Results results, Reduction reduction, Supplier<T> value) {
    RoundSignature signature = RoundSignature.of(Kind.ALL_REDUCE, same, reduction, 0);
    Elements source = Elements.of(same);
    return round(
        signature, control -> exchange.allReduce(source, results, signature, control), value);
  }

  @Override
  public CompletableFuture<List<Tensor>> reduceScatter(List<Tensor> tensors, Reduction reduction) {
    for (Tensor each : tensors) {
      if (each.rank() == 0 || each.shape(0) % size() != 0) {
        throw bad("%s has no first dimension that %s members divide".formatted(each, size()));
      }
    }
    return ElementTypes.reducing(
        tensors,
        reduction,
        same -> {
          RoundSignature signature = RoundSignature.of(Kind.REDUCE_SCATTER, same, reduction, 0);
          Results results = new Results(signature.dtype(), partShapes(same));
          Elements source = Elements.inParts(same, size());
          return round(
              signature,
              control -> exchange.reduceScatter(source, results, signature, control),
              results::tensors);
        });
  }

  @Override
  public CompletableFuture<List<List<Tensor>>> allGather(List<Tensor> tensors) {
    CompletableFuture<List<List<Tensor>>> byTensor =
        ElementTypes.each(
            tensors,
            same -> {
              RoundSignature signature = RoundSignature.of(Kind.ALL_GATHER, same, Reduction.SUM, 0);
              List<long[]> shapes = new ArrayList<>();
              members.forEach(member -> shapes.addAll(shapes(same)));
              Results results = new Results(signature.dtype(), shapes);
              return round(
                  signature,
                  control -> exchange.allGather(Elements.of(same), results, signature, control),
                  () -> transposed(results.tensors(), same.size(), size()));
            });
    return byTensor.thenApply(
        all -> transposed(all.stream().flatMap(List::stream).toList(), size(), all.size()));
  }

  @Override
  public CompletableFuture<List<Tensor>> broadcast(List<Tensor> tensors, int root) {
    requireRank(root);
    return ElementTypes.each(
        tensors,
        same -> {
          RoundSignature signature = RoundSignature.of(Kind.BROADCAST, same, Reduction.SUM, root);
          Results results = new Results(signature.dtype(), shapes(same));
          return round(
              signature,
              control -> exchange.broadcast(Elements.of(same), results, signature, control),
              results::tensors);
        });
  }

  private static List<long[]> shapes(List<Tensor> tensors) {
    return tensors.stream().map(Tensor::shape).toList();
  }

  private List<long[]> partShapes(List<Tensor> tensors) {
    List<long[]> shapes = shapes(tensors);
    shapes.forEach(shape -> shape[0] /= size());
    return shapes;
  }

  /** Turns a matrix of tensors, row by row, into its columns. */
  private static List<List<Tensor>> transposed(List<Tensor> all, int columns, int rows) {
    return IntStream.range(0, columns)
        .mapToObj(
            column ->
                IntStream.range(0, rows).mapToObj(row -> all.get(row * columns + column)).toList())
        .toList();
  }

  @Override
  public CompletableFuture<@Nullable Void> barrier() {
    List<Tensor> nothing = List.of(NOTHING);
    RoundSignature signature = RoundSignature.of(Kind.BARRIER, nothing, Reduction.SUM, 0);
    return round(
        signature,
        control ->
            exchange.allReduce(
                Elements.of(nothing), new FlatVector(DType.INT32, 1), signature, control),
        () -> null);
  }

  @Override
  public CompletableFuture<@Nullable Void> send(int to, long tag, List<Tensor> tensors) {
    requireRank(to);
    requireTag(tag);
    return outbox.send(to, tag, 0, tensors);
  }

  @Override
  public List<Tensor> receive(int from, long tag) {
    requireRank(from);
    requireTag(tag);
    RoundControl control =
        control(Long.MAX_VALUE, () -> "receive(from=%s, tag=%s)".formatted(from, tag));
    return inbox.take(from, tag, control).tensors();
  }

  @Override
  public long bytesSent() {
    return outbox.bytes() + exchange.bytesSent();
  }

  @Override
  public void close() {
    if (!end.hasFailed()) { // Others may still need what is on its way to them.
      outbox.awaitArrivals();
    }
    GridException before = end.leaving(); // Others may hear of it from here first.
    GridException why =
        before != null
            ? before
            : new GridException(
                Status.CLOSED,
                "worker " + members.get(rank).name() + " has closed collective \"" + name + "\"");
    if (endWith(why)) {
      messages.tellEnd(why, completed);
    }
    rounds.close();
    exchange.close();
    onClose.accept(this);
  }

  @Override
  public long nanosWaited() {
    return waitedNanos.get();
  }

  @Override
  public void noteSteps(TrainingSteps last) {
    noted = new NotedSteps(last, System.nanoTime());
  }

  /** Returns the last steps of the training as of now, or null if it notes none. */
  @Nullable TrainingSteps steps() {
    NotedSteps steps = noted;
    return steps == null
        ? null
        : steps.last.later(Duration.ofNanos(System.nanoTime() - steps.nanoTime));
  }

  /** Returns this worker's place in the rounds, and in what it receives. */
  List<Meeting> meetings(String id) {
    if (end.hasFailed()) {
      return List.of();
    }
    List<Meeting> all = new ArrayList<>(inbox.meetings(id));
    long ended = completed; // First: a round is begun before it ends.
    all.add(current.meeting(id, members, numbers.get(), ended, thread));
    return all;
  }

  // ---- Rounds ----

  /** The work of a round. */
  private interface Work {
    void run(RoundControl control);
  }

  private <T extends @Nullable Object> CompletableFuture<T> round(
      RoundSignature signature, Work work, Supplier<T> result) {
    long number = numbers.getAndIncrement();
    thread = Thread.currentThread().getId();
    RoundControl control = control(number, () -> "round %s (%s)".formatted(number, signature));
    return rounds.add(
        () -> {
          GridException why = end.of(number);
          if (why != null) {
            throw why;
          }
          try {
            current = control;
            work.run(control);
            T value = result.get();
            waitedNanos.addAndGet(control.waitedNanos());
            completed = number + 1;
            return value;
          } catch (GridException e) {
            fail(e);
            throw e;
          } catch (RuntimeException | OutOfMemoryError e) {
            GridException failed =
                new GridException(
                    Status.INTERNAL, "collective \"" + name + "\" failed: " + e, true, null, e);
            fail(failed);
            throw failed;
          }
        });
  }

  private RoundControl control(long round, Supplier<String> what) {
    return new RoundControl(
        () -> what.get() + " of collective \"" + name + "\"",
        options.timeout().toNanos(),
        () -> end.of(round));
  }

  /** Ends the collective here and at all others. */
  private void fail(GridException why) {
    if (endWith(why)) {
      messages.tellEnd(why, CollectiveMessages.NO_ROUNDS);
    }
  }

  /** Ends the collective here; returns false if it has ended already. */
  boolean endWith(GridException why) {
    boolean first = end.fail(why);
    if (first) {
      inbox.fail(why);
    }
    return first;
  }

  /** Notes that another member has left in good order after it had ended so many rounds. */
  void left(GridException why, long rounds) {
    end.left(why, rounds);
  }

  void lost(Worker worker) {
    if (members.contains(worker)) {
      fail(
          new GridException(
              Status.WORKER_LOST,
              "worker " + worker.name() + " of collective \"" + name + "\" was lost"));
    }
  }

  /** Takes tensors that another member has sent. */
  void arrived(int from, long tag, Inbox.Part part) {
    inbox.put(from, tag, part);
  }

  private void requireRank(int rankOfMember) {
    if (rankOfMember < 0 || rankOfMember >= size()) {
      throw bad("no rank %s in collective \"%s\" of %s".formatted(rankOfMember, name, size()));
    }
  }

  private static void requireTag(long tag) {
    if (tag < 0) {
      throw bad("tag=" + tag + ", but tags are at least 0");
    }
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
