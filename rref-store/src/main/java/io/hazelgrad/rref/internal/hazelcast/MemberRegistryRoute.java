package io.hazelgrad.rref.internal.hazelcast;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.spi.impl.AbstractDistributedObject;
import com.hazelcast.spi.impl.NodeEngine;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.registry.CommandBatches;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryRoute;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Carries a member's commands to the registry, in batches per partition. Threads: safe. */
public final class MemberRegistryRoute implements RegistryRoute {
  /** Two, so that a command need not wait for the backup of the one before it. */
  private static final int MOST_UNDER_WAY = 2;

  /** The time that a command may linger if nobody waits for it. */
  private static final long LINGER_MICROS = 1000;

  private final NodeEngine engine;
  private final UUID self;
  private final ScheduledExecutorService timer;
  private final CommandBatches<RegistryBatchOperation.Step> batches;

  /** Creates the route of a member, in the name of its worker. */
  public MemberRegistryRoute(GridContext context) {
    this.engine =
        ((AbstractDistributedObject<?>) context.hazelcast().getMap(RegistryMap.NAME))
            .getNodeEngine();
    this.self = context.self().incarnation();
    this.timer = context.timer();
    this.batches =
        new CommandBatches<>(
            engine.getPartitionService().getPartitionCount(),
            CommandBatches.MOST,
            MOST_UNDER_WAY,
            this::sendBatch,
            this::runLater);
  }

  @Override
  public CompletableFuture<Integer> send(RRefId id, Command command, boolean isAwaited) {
    Data key = engine.toData(id);
    int partition = engine.getPartitionService().getPartitionId(key);
    return batches.submit(partition, new RegistryBatchOperation.Step(key, command), isAwaited);
  }

  private void runLater(Runnable work) {
    try {
      var unused = timer.schedule(work, LINGER_MICROS, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) { // The grid is closing, so there is no later.
      work.run();
    }
  }

  private CompletableFuture<int[]> sendBatch(
      int partition, List<RegistryBatchOperation.Step> steps) {
    return new RegistryBatchOperation(
            RegistryMap.NAME, steps, RegistryBatchOperation.TOMBSTONE_SECONDS, self)
        .sendTo(partition, engine);
  }
}
