package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry as this member or client uses it: sends commands to {@code hazelgrad.rrefs}, asks
 * it.
 */
public final class RegistryMap {
  /** By which commands go to the registry; the answer is the code of a reply. */
  private interface Way {
    CompletionStage<Integer> send(RRefId id, Command command, boolean isAwaited);
  }

  public static final String NAME = "hazelgrad.rrefs";

  /** Each is a kind of message: {@code rref.claim} and so on. */
  private static final List<Class<? extends Command>> COMMANDS =
      List.of(
          Command.Create.class,
          Command.Resolve.class,
          Command.Claim.class,
          Command.Restore.class,
          Command.Keep.class,
          Command.Release.class,
          Command.HolderLost.class,
          Command.OwnerLost.class,
          Command.Adopt.class,
          Command.ValueLost.class);

  private final GridContext context;
  private final IMap<RRefId, Entry> map;
  private final Map<Class<?>, MessageKind> kinds = new HashMap<>();
  private final PartitionService partitions;
  private final PartitionKeys keys;

  private final Way way;

  public RegistryMap(GridContext context) {
    this.context = context;
    HazelcastInstance hazelcast = context.hazelcast();
    for (Class<? extends Command> command : COMMANDS) {
      kinds.put(command, context.messageKind("rref." + name(command)));
    }
    map = hazelcast.getMap(NAME);
    partitions = hazelcast.getPartitionService();
    keys = new PartitionKeys(partitions);
    way =
        context.isClient()
            ? relay(new ClientRegistryRoute(context))
            : new MemberRegistryRoute(map, context)::send;
  }

  /** A client's commands wait for nothing but those before them. */
  private static Way relay(ClientRegistryRoute relay) {
    return (id, command, isAwaited) -> relay.send(id, command);
  }

  private static String name(Class<? extends Command> command) {
    return switch (command.getSimpleName()) {
      case "HolderLost" -> "holder-lost";
      case "OwnerLost" -> "owner-lost";
      case "ValueLost" -> "value-lost";
      default -> command.getSimpleName().toLowerCase(Locale.ROOT);
    };
  }

  /** Returns a key of a partition that the owner's member holds, of any if it holds none. */
  public int partitionKeyNear(Worker owner) {
    return keys.near(owner);
  }

  /** Returns whether the member of a worker keeps an entry, as far as is known here now. */
  boolean isKeptBy(Worker worker, RRefId id) {
    return PartitionKeys.isHeldBy(partitions.getPartition(id), worker.incarnation());
  }

  /** Forgets a worker that is lost. */
  public void forget(Worker owner) {
    keys.forget(owner);
  }

  /**
   * Sends a command; it is applied once or, after a failure on the way, again. All failures end the
   * future, also that of a member that is shutting down. Stages without an executor run on threads
   * of Hazelcast's: they must be short, and must not call anybody or run a user's code.
   */
  public CompletableFuture<CommandReply> submit(RRefId id, Command command) {
    return submit(id, command, isAwaited(command));
  }

  /** As above; one for whose answer nobody waits may stay for a moment, to go with others. */
  public CompletableFuture<CommandReply> submit(RRefId id, Command command, boolean isAwaited) {
    MessageKind kind = Objects.requireNonNull(kinds.get(command.getClass()));
    return context
        .sending(kind, null, () -> way.send(id, command, isAwaited))
        .thenApply(CommandReply::fromCode);
  }

  /** Nobody waits to hear that a handle is over, or that the work of a call has ended. */
  private static boolean isAwaited(Command command) {
    return !(command instanceof Command.Release)
        && !(command instanceof Command.Resolve resolve && resolve.fork() == null);
  }

  /** Returns the entry, {@link Entry#ABSENT} if there is none. */
  public CompletableFuture<Entry> entry(RRefId id) {
    return ask(() -> map.getAsync(id)).thenApply(entry -> entry == null ? Entry.ABSENT : entry);
  }

  private static <T extends @Nullable Object> CompletableFuture<T> ask(
      Supplier<CompletionStage<T>> question) {
    try {
      return question.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  public Set<RRefId> keys(RegistryQuery query) {
    return map.keySet(query);
  }

  /** Returns those of this member's primary entries that a query finds. */
  public Set<RRefId> localKeys(RegistryQuery query) {
    return map.localKeySet(query);
  }

  public Set<Map.Entry<RRefId, Entry>> entries(RegistryQuery query) {
    return map.entrySet(query);
  }

  Collection<Entry> values(RegistryQuery query) {
    return map.values(query);
  }

  /**
   * Makes the error for a command that the registry refused. An object that was lost with its owner
   * is so too if the entry was lost with both: that ended with the forks that were entered since.
   */
  public GridException refused(RRefId id, Worker owner, CommandReply reply) {
    RRefState state =
        reply.verdict() == CommandReply.Verdict.REFUSED ? reply.state() : RRefState.GONE;
    return switch (state == RRefState.GONE && !context.isMember(owner) ? RRefState.LOST : state) {
      case LOST ->
          new GridException(
              Status.RREF_LOST, id + " is lost with its owner, worker " + owner.name());
      case TIMED_OUT ->
          new GridException(
              Status.RREF_TIMED_OUT,
              "the creation of " + id + " on worker " + owner.name() + " timed out");
      case FAILED ->
          new GridException(
              Status.RREF_FAILED,
              id + " was not made: the call to worker " + owner.name() + " failed");
      default ->
          new GridException(
              Status.RREF_GONE,
              id
                  + " is not referenced any more ("
                  + reply.verdict()
                  + ", "
                  + reply.state()
                  + "): its sender closed it before this arrived");
    };
  }
}
