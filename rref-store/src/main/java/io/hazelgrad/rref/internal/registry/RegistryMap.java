package io.hazelgrad.rref.internal.registry;

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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sends commands to the map {@code hazelgrad.rrefs} and queries it. Threads: safe. */
public final class RegistryMap {
  /** The name of the map. */
  public static final String NAME = "hazelgrad.rrefs";

  private final GridContext context;
  private final IMap<RRefId, Entry> map;

  /** Each command is a message kind of its own, for example {@code rref.holder-lost}. */
  private final Map<Class<?>, MessageKind> kinds = new HashMap<>();

  private final PartitionService partitions;
  private final PartitionKeys keys;
  private final RegistryRoute route;

  public RegistryMap(GridContext context, RegistryRoute route) {
    this.context = context;
    this.route = route;
    for (Class<?> command : Command.class.getPermittedSubclasses()) {
      String name = command.getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "-");
      kinds.put(command, context.messageKind("rref." + name.toLowerCase(Locale.ROOT)));
    }
    map = context.hazelcast().getMap(NAME);
    partitions = context.hazelcast().getPartitionService();
    keys = new PartitionKeys(partitions);
    context.onLost(keys::forget);
  }

  /** Returns a key of one of the partitions that the owner's member holds, or any if none. */
  public int partitionKeyNear(Worker owner) {
    return keys.near(owner);
  }

  /** Returns whether the member of a worker keeps an entry, as far as is known here now. */
  public boolean isKeptBy(Worker worker, RRefId id) {
    return PartitionKeys.isHeldBy(partitions.getPartition(id), worker.incarnation());
  }

  /**
   * Sends a command. After a failure on the way it may be applied a second time. Every failure ends
   * the future, also the shutdown of a member. Stages without an executor run on threads of
   * Hazelcast: they must be short, and must not make calls or run user code.
   */
  public CompletableFuture<CommandReply> submit(RRefId id, Command command) {
    return submit(id, command, isAwaited(command));
  }

  /** Does the same; a command that nobody waits for may linger to go with others. */
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

  /** Returns the entries of these ids; an id without an entry is left out. */
  public Set<Map.Entry<RRefId, Entry>> entries(Set<RRefId> ids) {
    return ids.isEmpty() ? Set.of() : map.getAll(ids).entrySet();
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
    return switch (state == RRefState.GONE && !context.directory().isMember(owner)
        ? RRefState.LOST
        : state) {
      case LOST -> lost(id, owner);
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
              "%s is not referenced any more (%s, %s): its sender closed it before this arrived"
                  .formatted(id, reply.verdict(), reply.state()));
    };
  }

  /** Returns the error for an object whose owner is lost or leaves. */
  public static GridException lost(RRefId id, Worker owner) {
    return lost(id, owner, false, null);
  }

  /** Does the same with the failure by which it turned out. */
  public static GridException lost(
      RRefId id, Worker owner, boolean mayHaveRun, @Nullable Throwable cause) {
    String message = id + " is lost with its owner, worker " + owner.name();
    return new GridException(Status.RREF_LOST, message, mayHaveRun, null, cause);
  }
}
