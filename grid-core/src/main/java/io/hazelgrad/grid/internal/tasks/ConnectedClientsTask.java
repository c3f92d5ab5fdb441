package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Reads the UUIDs of the clients that are connected to the member that runs it. */
public final class ConnectedClientsTask extends GridTask<List<UUID>> {
  /** Asks another member; the future is a stage of its own, which may time out. */
  public static CompletableFuture<List<UUID>> ask(HazelcastInstance hazelcast, Member member) {
    return GridExecutor.submit(
            GridExecutor.CONTROL.of(hazelcast), new ConnectedClientsTask(), member)
        .thenApplyAsync(uuids -> uuids, Runnable::run);
  }

  @Override
  public List<UUID> call() {
    List<UUID> uuids = new ArrayList<>(); // A list that Hazelcast serializes by itself.
    member().getClientService().getConnectedClients().forEach(it -> uuids.add(it.getUuid()));
    return uuids;
  }

  @Override
  public int getClassId() {
    return SerializerIds.CONNECTED_CLIENTS_TASK;
  }

  @Override
  public void writeData(ObjectDataOutput out) {}

  @Override
  public void readData(ObjectDataInput in) {}
}
