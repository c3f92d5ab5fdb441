package io.hazelgrad.rref.internal.registry;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.IMap;
import com.hazelcast.spi.impl.AbstractDistributedObject;
import com.hazelcast.spi.impl.NodeEngine;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The way of a member's commands to the registry: in groups, by partition. Threads: safe. */
final class MemberRegistryRoute {
  /** Two, so that a command need not wait for the backup of the one before it. */
  private static final int UNDER_WAY = 2;

  /** How long a command stays for which nobody waits. */
  private static final long LINGER_MICROS = 1000;

  private final String map;
  private final NodeEngine engine;
  private final UUID self;
  private final ScheduledExecutorService timer;
  private final CommandBatches<RegistryBatchOperation.Step> batches;

  /** Sends to a map of a member, in the name of the worker that it is. */
  MemberRegistryRoute(IMap<RRefId, Entry> map, GridContext context) {
    this.map = map.getName();
    this.engine = ((AbstractDistributedObject<?>) map).getNodeEngine();
    this.self = context.self().incarnation();
    this.timer = context.timer();
    this.batches =
        new CommandBatches<>(
            engine.getPartitionService().getPartitionCount(),
            UNDER_WAY,
            this::send,
            this::inAMoment);
  }

  /** Sends a command; the answer is the code of a {@link CommandReply}. Does not wait. */
  CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited) {
    Data key = engine.toData(id);
    int partition = engine.getPartitionService().getPartitionId(key);
    return batches.submit(partition, new RegistryBatchOperation.Step(key, command), isAwaited);
  }

  private void inAMoment(Runnable work) {
    try {
      var unused = timer.schedule(work, LINGER_MICROS, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) { // The grid is closing: now or never.
      work.run();
    }
  }

  private CompletionStage<int[]> send(int partition, List<RegistryBatchOperation.Step> group) {
    return new RegistryBatchOperation(map, group, RegistryBatchOperation.TOMBSTONE_SECONDS, self)
        .sendTo(partition, engine);
  }
}
