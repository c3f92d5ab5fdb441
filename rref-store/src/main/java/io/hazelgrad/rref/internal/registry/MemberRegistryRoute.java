package io.hazelgrad.rref.internal.registry;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Carries a member's commands to the registry, in batches per partition. Threads: safe.
 *
 * <p>A reply means that the backup has the change. Hazelcast waits for the backup of a processor
 * for one key, but not for the backup of one for several keys. A batch for several keys is
 * therefore followed by an empty processor for one of them: backups of one partition arrive in
 * order, so its backup confirms theirs.
 */
public final class MemberRegistryRoute implements RegistryRoute {
  /** The time that a command may linger if nobody waits for it. */
  private static final long LINGER_MICROS = 2000;

  record Step(RRefId id, Command command) {}

  private final IMap<RRefId, Entry> map;
  private final PartitionService partitions;
  private final HazelcastInstance member;
  private final UUID self;
  private final int tombstoneSeconds;
  private final Executor background;
  private final CommandBatches<Step> batches;

  /** Creates the route of a member, in the name of its worker. */
  public MemberRegistryRoute(GridContext context) {
    this(
        context.hazelcast(),
        context.hazelcast().getMap(RegistryMap.NAME),
        context.hazelcast().getPartitionService(),
        context.self().incarnation(),
        CommandProcessor.TOMBSTONE_SECONDS,
        new BackgroundRunner(context),
        context.timer());
  }

  MemberRegistryRoute(
      HazelcastInstance member,
      IMap<RRefId, Entry> map,
      PartitionService partitions,
      UUID self,
      int tombstoneSeconds,
      Executor background,
      ScheduledExecutorService timer) {
    this.member = member;
    this.map = map;
    this.partitions = partitions;
    this.self = self;
    this.tombstoneSeconds = tombstoneSeconds;
    this.background = background;
    this.batches =
        new CommandBatches<>(
            partitions.getPartitions().size(),
            CommandBatches.MOST,
            1, // Batches for several keys and for one key go different ways, so one overtakes.
            (partition, steps) -> send(steps),
            work -> runLater(work, timer));
  }

  @Override
  public CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited) {
    int partition = partitions.getPartition(id.getPartitionKey()).getPartitionId();
    return batches.submit(partition, new Step(id, command), isAwaited);
  }

  private static void runLater(Runnable work, ScheduledExecutorService timer) {
    try {
      var unused = timer.schedule(work, LINGER_MICROS, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) { // The grid is closing, so there is no later.
      work.run();
    }
  }

  /** Sends commands for one partition. */
  CompletionStage<int[]> send(List<Step> steps) {
    Map<RRefId, List<Command>> commands = new LinkedHashMap<>();
    for (Step step : steps) {
      commands.computeIfAbsent(step.id(), id -> new ArrayList<>(1)).add(step.command());
    }
    return BackgroundRunner.submit(background, () -> submit(commands))
        .thenApplyAsync(replies -> inOrder(steps, replies), this::leavePartitionThread);
  }

  private CompletionStage<Map<RRefId, int[]>> submit(Map<RRefId, List<Command>> commands) {
    CommandProcessor processor =
        new CommandProcessor(self, tombstoneSeconds, commands).prove(member);
    RRefId one = commands.keySet().iterator().next();
    if (commands.size() == 1) {
      return map.submitToKey(one, processor)
          .thenApplyAsync(codes -> Map.of(one, codes), Runnable::run);
    }
    return map.submitToKeys(commands.keySet(), processor)
        .thenCompose(
            replies ->
                BackgroundRunner.submit(
                        background,
                        () -> map.submitToKey(one, new CommandProcessor(self, 0, Map.of())))
                    .thenApplyAsync(nothing -> replies, Runnable::run));
  }

  /**
   * Continues after a reply on a thread that may submit: on a partition thread it would recurse.
   */
  private void leavePartitionThread(Runnable work) {
    if (CommandProcessor.isPartitionThread()) {
      background.execute(work);
    } else {
      work.run();
    }
  }

  private static int[] inOrder(List<Step> steps, Map<RRefId, int[]> replies) {
    Map<RRefId, Integer> next = new HashMap<>();
    int[] codes = new int[steps.size()];
    for (int i = 0; i < codes.length; i++) {
      RRefId id = steps.get(i).id();
      codes[i] = Objects.requireNonNull(replies.get(id))[next.merge(id, 1, Integer::sum) - 1];
    }
    return codes;
  }
}
