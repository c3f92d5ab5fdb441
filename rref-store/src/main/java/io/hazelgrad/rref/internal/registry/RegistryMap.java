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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The registry as this member or client uses it: sends commands to the map {@code hazelgrad.rrefs}
 * and queries it. Threads: safe.
 */
public final class RegistryMap {
  /** The name of the map. */
  public static final String NAME = "hazelgrad.rrefs";

  /** Each command is a message kind of its own, for example {@code rref.claim}. */
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
  private final RegistryRoute route;

  public RegistryMap(GridContext context, RegistryRoute route) {
    this.context = context;
    this.route = route;
    HazelcastInstance hazelcast = context.hazelcast();
    for (Class<? extends Command> command : COMMANDS) {
      kinds.put(command, context.messageKind("rref." + name(command)));
    }
    map = hazelcast.getMap(NAME);
    partitions = hazelcast.getPartitionService();
    keys = new PartitionKeys(partitions);
  }

  private static String name(Class<? extends Command> command) {
    return switch (command.getSimpleName()) {
      case "HolderLost" -> "holder-lost";
      case "OwnerLost" -> "owner-lost";
      case "ValueLost" -> "value-lost";
      default -> command.getSimpleName().toLowerCase(Locale.ROOT);
    };
  }

  /** Returns a key of one of the partitions that the owner's member holds, or any if none. */
  public int partitionKeyNear(Worker owner) {
    return keys.near(owner);
  }

  /** Returns whether the member of a worker keeps an entry, as far as is known here now. */
  public boolean isKeptBy(Worker worker, RRefId id) {
    return PartitionKeys.isHeldBy(partitions.getPartition(id), worker.incarnation());
  }

  /** Forgets a worker that is lost. */
  public void forget(Worker owner) {
    keys.forget(owner);
  }

  /**
   * Sends a command. After a failure on the way it may be applied a second time. Every failure ends
   * the future, also the shutdown of a member. Stages without an executor run on threads of
   * Hazelcast: they must be short, and must not make calls or run user code.
   */
  public CompletableFuture<CommandReply> submit(RRefId id, Command command) {
    return submit(id, command, isAwaited(command));
  }

  /** Sends a command; one that nobody waits for may linger for a moment to go with others. */
  public CompletableFuture<CommandReply> submit(RRefId id, Command command, boolean isAwaited) {
    MessageKind kind = Objects.requireNonNull(kinds.get(command.getClass()));
    return context
        .sending(kind, null, () -> route.send(id, command, isAwaited))
        .thenApply(CommandReply::fromCode);
  }

  /** Nobody waits for the reply to a release, or to the end of a creation from its owner. */
  private static boolean isAwaited(Command command) {
    return !(command instanceof Command.Release)
        && !(command instanceof Command.Resolve resolve && resolve.fork() == null);
  }

  /** Returns the entry, {@link Entry#ABSENT} if there is none. */
  public CompletableFuture<Entry> entry(RRefId id) {
    try {
      return map.getAsync(id)
          .thenApply(entry -> entry == null ? Entry.ABSENT : entry)
          .toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  public Set<RRefId> keys(RegistryQuery query) {
    return map.keySet(query);
  }

  /** Returns the keys of this member's primary entries that a query finds. */
  public Set<RRefId> localKeys(RegistryQuery query) {
    return map.localKeySet(query);
  }

  public Set<Map.Entry<RRefId, Entry>> entries(RegistryQuery query) {
    return map.entrySet(query);
  }

  /**
   * Returns the error for a command that the registry refused. If the owner is lost, the error is
   * RREF_LOST also where the entry is gone: the entry was lost with the owner then, and what was
   * entered since has ended.
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
