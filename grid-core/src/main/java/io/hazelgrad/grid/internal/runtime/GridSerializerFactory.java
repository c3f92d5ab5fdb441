package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.internal.hazelcast.CallOperation;
import io.hazelgrad.grid.internal.hazelcast.QuorumOperation;
import io.hazelgrad.grid.internal.member.RemoveWorkerProcessor;
import io.hazelgrad.grid.internal.tasks.CallTask;
import io.hazelgrad.grid.internal.tasks.ConnectedClientsTask;
import io.hazelgrad.grid.internal.tasks.EntryTask;
import io.hazelgrad.grid.internal.tasks.LostWorkersTask;
import io.hazelgrad.grid.internal.tasks.PollTask;
import io.hazelgrad.grid.internal.tasks.ReplyBatch;
import io.hazelgrad.grid.internal.tasks.ReplyTask;
import io.hazelgrad.grid.internal.tasks.WaitsTask;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.SerializerIds;

/** Makes the messages of calls on the receiving side. */
final class GridSerializerFactory implements DataSerializableFactory {
  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case SerializerIds.CALL -> new CallOperation();
      case SerializerIds.REPLY -> new Reply();
      case SerializerIds.CALL_TASK -> new CallTask();
      case SerializerIds.REPLY_TASK -> new ReplyTask();
      case SerializerIds.REPLY_BATCH -> new ReplyBatch();
      case SerializerIds.POLL_TASK -> new PollTask();
      case SerializerIds.CONNECTED_CLIENTS_TASK -> new ConnectedClientsTask();
      case SerializerIds.ENTRY_TASK -> new EntryTask();
      case SerializerIds.LOST_WORKERS_TASK -> new LostWorkersTask();
      case SerializerIds.WAITS_TASK -> new WaitsTask();
      case SerializerIds.QUORUM -> new QuorumOperation();
      case SerializerIds.REMOVE_LOST -> new RemoveWorkerProcessor();
      case SerializerIds.QUORUM_ANSWER -> new QuorumOperation.Answer();
      default ->
          throw new IllegalArgumentException(
              "no type " + typeId + " in factory " + SerializerIds.FACTORY);
    };
  }
}
