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
import java.util.ArrayList;
import java.util.Arrays;
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
 * Carries a client's commands to the registry: a worker applies them in the client's name, if
 * possible the worker on the member that keeps the entry. The commands travel as calls. A broken
 * connection therefore only delays them, and workers refuse them once the client was declared lost.
 *
 * <p>If a worker is lost or does not answer, another worker gets the same commands, so each may be
 * applied twice. Threads: safe.
 */
public final class ClientRegistryRoute implements RegistryRoute {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRegistryRoute.class);
  private static final String SERVICE = "rref.command";

  /** Longer than a worker itself retries, for example while there is no quorum. */
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private static final int MOST_ATTEMPTS = 6;

  /** No attempt begins later, so that the last one ends before a tombstone expires. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long PAUSE_MILLIS = 100;
  private static final int MOST_UNDER_WAY = 4;
  private static final int MOST_IN_MESSAGE = 1000;

  /** A command that waits for the code of its {@link CommandReply}. */
  private static final class PendingCommand {
    final RRefId id;
    final byte[] bytes;
    final CompletableFuture<Integer> reply = new CompletableFuture<>();
    final long sinceNanos = System.nanoTime();
    int attempts;

    PendingCommand(RRefId id, byte[] bytes) {
      this.id = id;
      this.bytes = bytes;
    }
  }

  private final GridContext context;
  private final PartitionService partitions;

  /** The commands for each worker, as if it were one partition. */
  private final Map<Worker, CommandBatches<byte[]>> batches = new ConcurrentHashMap<>();

  /** The commands that will be sent again after a pause. */
  private final Set<PendingCommand> paused = ConcurrentHashMap.newKeySet();

  /** The worker that replied last, for a client that does not know the partition table. */
  private volatile @Nullable Worker lastReplier;

  public ClientRegistryRoute(GridContext context) {
    this.context = context;
    this.partitions = context.hazelcast().getPartitionService();
    var unused = context.messageKind(MessageKind.service(SERVICE).name()); // A client serves none.
    context.onLost(batches::remove);
    context.onClose(this::close);
  }

  /** Registers the workers' end. */
  public static void serve(GridContext context, RegistryMap registry) {
    context.asyncHandler(SERVICE, (arguments, request) -> apply(registry, arguments, request));
  }

  private static CompletableFuture<int[]> apply(
      RegistryMap registry, List<@Nullable Object> arguments, Incoming request) {
    long client = request.call().caller().id();
    List<ClientCommandCodec.Decoded> all = new ArrayList<>(arguments.size());
    for (Object argument : arguments) {
      if (!(argument instanceof byte[] bytes)) {
        throw new GridException(
            Status.BAD_VALUE, "the bytes of a command are expected, not " + argument);
      }
      all.add(ClientCommandCodec.read(bytes, client));
    }
    List<CompletableFuture<CommandReply>> replies =
        all.stream().map(each -> registry.submit(each.id(), each.command())).toList();
    return CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))
        .thenApply(nothing -> replies.stream().mapToInt(reply -> reply.join().toCode()).toArray());
  }

  @Override
  public CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited) {
    PendingCommand pending = new PendingCommand(id, ClientCommandCodec.write(id, command));
    Member member = partitions.getPartition(id).getOwner();
    Worker near = member == null ? null : context.directory().knownOn(member.getUuid());
    Worker first = near == null ? lastReplier : near;
    if (first != null) {
      send(pending, first);
    } else {
      sendToAnother(
          pending,
          null,
          new GridException(
              Status.WORKER_LOST, "no worker is in the grid to reach the registry: start one"));
    }
    return pending.reply;
  }

  private void send(PendingCommand command, Worker to) {
    command.attempts++;
    var unused =
        batches
            .computeIfAbsent(to, this::batchesTo)
            .submit(0, command.bytes, true)
            .whenComplete(
                (code, failure) -> {
                  if (failure == null) {
                    command.reply.complete(code);
                  } else {
                    failed(command, to, Causes.of(failure));
                  }
                });
  }

  private CommandBatches<byte[]> batchesTo(Worker to) {
    return new CommandBatches<>(
        1, MOST_IN_MESSAGE, MOST_UNDER_WAY, (one, commands) -> call(to, commands), Runnable::run);
  }

  private CompletableFuture<int[]> call(Worker to, List<byte[]> commands) {
    CompletableFuture<int[]> call = context.call(to, SERVICE, new ArrayList<>(commands), DEADLINE);
    return call.thenApply(
        codes -> {
          lastReplier = to;
          if (codes.length != commands.size()) {
            throw new GridException(
                Status.INTERNAL,
                "the reply to %s commands has the codes %s"
                    .formatted(commands.size(), Arrays.toString(codes)));
          }
          return codes;
        });
  }

  private void failed(PendingCommand command, Worker tried, Throwable failure) {
    if (failure instanceof GridException lost && lost.status() == Status.WORKER_LOST) {
      batches.remove(tried); // What is under way to it keeps its own queue.
    }
    boolean hopeless =
        failure instanceof GridException known
            && (known.status() == Status.BAD_VALUE || known.status() == Status.NOT_ALLOWED);
    boolean tooLate =
        command.attempts >= MOST_ATTEMPTS || System.nanoTime() - command.sinceNanos > RETRY_NANOS;
    if (hopeless || tooLate || context.ended() != null) {
      command.reply.completeExceptionally(hopeless ? failure : givenUp(command, failure));
      return;
    }
    LOG.debug(
        "a command for {} failed on worker {}; another worker gets it",
        command.id,
        tried.name(),
        failure);
    paused.add(command);
    long pause = PAUSE_MILLIS * command.attempts;
    CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, context.background())
        .execute(
            () -> {
              paused.remove(command);
              sendToAnother(command, tried, failure);
            });
    if (context.ended() != null) { // Either this thread or close() sees the command.
      command.reply.completeExceptionally(failure);
    }
  }

  /** A closed client runs nothing later, so its paused commands end here. */
  private void close() {
    GridException ended = Objects.requireNonNull(context.ended());
    paused.forEach(command -> command.reply.completeExceptionally(ended));
  }

  /** Sends to another living worker. Reading the directory takes time, so a thread does it. */
  private void sendToAnother(PendingCommand command, @Nullable Worker tried, Throwable failure) {
    Runnable sending =
        () -> {
          try {
            Worker other = another(command.id, tried);
            if (other == null) {
              command.reply.completeExceptionally(failure);
            } else {
              send(command, other);
            }
          } catch (RuntimeException e) { // The directory cannot be asked.
            command.reply.completeExceptionally(e);
          }
        };
    try {
      context.background().execute(sending);
    } catch (RejectedExecutionException e) { // This client is closed.
      command.reply.completeExceptionally(failure);
    }
  }

  /** Returns a worker, if possible another than the one that was tried last; null if none. */
  private @Nullable Worker another(RRefId id, @Nullable Worker tried) {
    List<Worker> living = new ArrayList<>(context.directory().living().values());
    if (living.size() > 1) {
      living.remove(tried);
    }
    return living.isEmpty() ? null : living.get(Math.floorMod(id.hashCode(), living.size()));
  }

  private static GridException givenUp(PendingCommand command, Throwable failure) {
    return new GridException(
        Status.WORKER_LOST,
        "the registry was not reached for " + command.id + ": " + failure.getMessage(),
        true,
        null,
        failure);
  }
}
