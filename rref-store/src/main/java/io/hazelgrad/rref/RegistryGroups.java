package io.hazelgrad.rref;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.IMap;
import com.hazelcast.spi.impl.AbstractDistributedObject;
import com.hazelcast.spi.impl.NodeEngine;
import io.hazelgrad.grid.Worker;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The way of a member's commands to the registry: in groups, by partition. Threads: safe. */
final class RegistryGroups {
  /** Two, so that a command need not wait for the backup of the one before it. */
  private static final int UNDER_WAY = 2;

  private final String map;
  private final NodeEngine engine;
  private final UUID self;
  private final Batches<RegistryBatch.Step> batches;

  /** Sends to a map of a member, in the name of the worker that it is. */
  RegistryGroups(IMap<RRefId, Entry> map, Worker self) {
    this.map = map.getName();
    this.engine = ((AbstractDistributedObject<?>) map).getNodeEngine();
    this.self = self.incarnation();
    this.batches =
        new Batches<>(engine.getPartitionService().getPartitionCount(), UNDER_WAY, this::send);
  }

  /** Sends a command; the answer is the code of a {@link Reply}. Does not wait. */
  CompletableFuture<Integer> send(RRefId id, Command command) {
    Data key = engine.toData(id);
    int partition = engine.getPartitionService().getPartitionId(key);
    return batches.submit(partition, new RegistryBatch.Step(key, command));
  }

  private CompletionStage<int[]> send(int partition, List<RegistryBatch.Step> group) {
    return new RegistryBatch(map, group, RegistryProcessor.TOMBSTONE_SECONDS, self)
        .sendTo(partition, engine);
  }
}
