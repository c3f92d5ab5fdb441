package io.hazelgrad.rref.internal.registry;

import com.hazelcast.cluster.Member;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a client's commands to the registry: a worker applies them in its name, if it can the
 * one on the member that keeps the entry. So they are calls: a broken connection only delays them,
 * and once a client was declared lost, no worker takes more of them.
 *
 * <p>A few messages to one worker are under way at a time, what comes meanwhile goes with the next.
 * If a worker is lost with a message, or does not answer, another one gets the same commands: each
 * may be applied twice.
 *
 * <p>Threads: safe.
 */
public final class ClientRegistryRoute {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRegistryRoute.class);
  private static final String SERVICE = "rref.command";

  /** Longer than a worker tries itself, for instance while there is no quorum. */
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private static final int MOST_ATTEMPTS = 6;

  /** No attempt begins later; so the last one ends before a tombstone does. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long PAUSE_MILLIS = 100;
  private static final int MOST_UNDER_WAY = 4;
  private static final int MOST_IN_MESSAGE = 1000;

  /** A command that waits for its answer, the code of a {@link CommandReply}. */
  private static final class Item {
    final RRefId id;
    final byte[] bytes;
    final CompletableFuture<Integer> answer = new CompletableFuture<>();
    final long sinceNanos = System.nanoTime();
    int attempts;

    Item(RRefId id, byte[] bytes) {
      this.id = id;
      this.bytes = bytes;
    }
  }

  /** What is under way to one worker, and what waits. */
  private static final class Lane {
    final Deque<Item> waiting = new ArrayDeque<>();
    int underWay;
  }

  private final GridContext context;
  private final PartitionService partitions;

  /** Guarded by this. */
  private final Map<Worker, Lane> lanes = new HashMap<>();

  /** Those that the timer holds. */
  private final Set<Item> paused = ConcurrentHashMap.newKeySet();

  /** Who answered last; for a client that does not know which member keeps what. */
  private volatile @Nullable Worker last;

  /** The client's end. */
  ClientRegistryRoute(GridContext context) {
    this.context = context;
    this.partitions = context.hazelcast().getPartitionService();
    var unused = context.messageKind(MessageKind.service(SERVICE).name()); // Sent, not served.
    context.onClose(this::close);
  }

  /** The workers' end. */
  public static void serve(GridContext context, RegistryMap registry) {
    context.asyncHandler(SERVICE, (arguments, request) -> apply(registry, arguments, request));
  }

  private static CompletableFuture<int[]> apply(
      RegistryMap registry, List<@Nullable Object> arguments, Incoming request) {
    long client = request.call().caller().id();
    List<ClientCommandCodec.Said> all = new ArrayList<>(arguments.size());
    for (Object argument : arguments) {
      if (!(argument instanceof byte[] bytes)) {
        throw new GridException(Status.BAD_VALUE, "no command of a client: " + argument);
      }
      all.add(ClientCommandCodec.read(bytes, client));
    }
    List<CompletableFuture<CommandReply>> replies =
        all.stream().map(said -> registry.submit(said.id(), said.command())).toList();
    return CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))
        .thenApply(nothing -> replies.stream().mapToInt(reply -> reply.join().toCode()).toArray());
  }

  /** Sends a command; the answer is the code of a {@link CommandReply}. Does not wait. */
  CompletableFuture<Integer> send(RRefId id, Command command) {
    Item item = new Item(id, ClientCommandCodec.write(id, command));
    Member member = partitions.getPartition(id).getOwner();
    Worker near = member == null ? null : context.knownOn(member.getUuid());
    Worker first = near == null ? last : near;
    if (first != null) {
      send(item, first);
    } else {
      sendToAnother(item, null, noWorker());
    }
    return item.answer;
  }

  private void send(Item item, Worker to) {
    synchronized (this) {
      Lane lane = lanes.computeIfAbsent(to, key -> new Lane());
      if (lane.underWay == MOST_UNDER_WAY) {
        lane.waiting.add(item);
        return;
      }
      lane.underWay++;
    }
    send(List.of(item), to);
  }

  private void send(List<Item> items, Worker to) {
    List<@Nullable Object> arguments = new ArrayList<>(items.size());
    for (Item item : items) {
      item.attempts++;
      arguments.add(item.bytes);
    }
    CompletableFuture<int[]> call;
    try {
      call = context.call(to, SERVICE, arguments, DEADLINE);
    } catch (GridException e) { // It has left, or this client has ended.
      call = CompletableFuture.failedFuture(e);
    }
    var unused = call.whenComplete((codes, failure) -> answered(items, to, codes, failure));
  }

  private void answered(
      List<Item> items, Worker to, int @Nullable [] codes, @Nullable Throwable failure) {
    if (failure == null) {
      last = to;
    }
    List<Item> next = next(to);
    if (!next.isEmpty()) {
      send(next, to);
    }
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      if (codes != null && codes.length == items.size()) {
        item.answer.complete(codes[i]);
      } else {
        failed(item, to, failure == null ? damaged(items, codes) : Causes.of(failure));
      }
    }
  }

  /** Returns what goes next to a worker that has answered, or did not. */
  private synchronized List<Item> next(Worker to) {
    Lane lane = lanes.computeIfAbsent(to, key -> new Lane());
    List<Item> next = new ArrayList<>();
    while (!lane.waiting.isEmpty() && next.size() < MOST_IN_MESSAGE) {
      next.add(lane.waiting.remove());
    }
    if (next.isEmpty() && --lane.underWay == 0) {
      lanes.remove(to);
    }
    return next;
  }

  private void failed(Item item, Worker tried, Throwable failure) {
    boolean hopeless =
        failure instanceof GridException known
            && (known.status() == Status.BAD_VALUE || known.status() == Status.NOT_ALLOWED);
    boolean tooLate =
        item.attempts >= MOST_ATTEMPTS || System.nanoTime() - item.sinceNanos > PATIENCE_NANOS;
    if (hopeless || tooLate || context.ended() != null) {
      item.answer.completeExceptionally(hopeless ? failure : givenUp(item, failure));
      return;
    }
    LOG.debug("a command for {} did not pass by worker {}", item.id, tried.name(), failure);
    paused.add(item);
    try {
      var unused =
          context
              .timer()
              .schedule(
                  () -> {
                    paused.remove(item);
                    sendToAnother(item, tried, failure);
                  },
                  PAUSE_MILLIS * item.attempts,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) { // This client has ended.
      item.answer.completeExceptionally(failure);
    }
    if (context.ended() != null) { // Here or in close(): one of the two sees it.
      item.answer.completeExceptionally(failure);
    }
  }

  /** What the timer holds goes with it when this client closes. */
  private void close() {
    GridException ended = Objects.requireNonNull(context.ended());
    paused.forEach(item -> item.answer.completeExceptionally(ended));
  }

  /** In the background: looks for the workers that live now, which may take time. */
  private void sendToAnother(Item item, @Nullable Worker tried, Throwable failure) {
    try {
      context
          .background()
          .execute(
              () -> {
                try {
                  Worker other = another(item.id, tried);
                  if (other == null) {
                    item.answer.completeExceptionally(failure);
                  } else {
                    send(item, other);
                  }
                } catch (RuntimeException e) { // The directory cannot be asked.
                  item.answer.completeExceptionally(e);
                }
              });
    } catch (RejectedExecutionException e) { // This client has ended.
      item.answer.completeExceptionally(failure);
    }
  }

  /** Returns a worker other than the one that was tried last, if there is one. */
  private @Nullable Worker another(RRefId id, @Nullable Worker tried) {
    List<Worker> living = new ArrayList<>(context.living().values());
    if (living.size() > 1) {
      living.remove(tried);
    }
    return living.isEmpty() ? null : living.get(Math.floorMod(id.hashCode(), living.size()));
  }

  private static GridException damaged(List<Item> items, int @Nullable [] codes) {
    return new GridException(
        Status.INTERNAL, items.size() + " commands were answered by " + Arrays.toString(codes));
  }

  private static GridException givenUp(Item item, Throwable failure) {
    return new GridException(
        Status.WORKER_LOST,
        "the registry could not be told of " + item.id + ": " + failure.getMessage(),
        true,
        null,
        failure);
  }

  private static GridException noWorker() {
    return new GridException(
        Status.WORKER_LOST, "no worker is in the grid that could ask the registry");
  }
}
