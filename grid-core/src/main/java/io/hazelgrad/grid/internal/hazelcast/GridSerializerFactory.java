package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.internal.member.RemoveWorkerProcessor;
import io.hazelgrad.grid.internal.wire.Reply;

/** Makes the messages of calls on the receiving side. */
public final class GridSerializerFactory implements DataSerializableFactory {
  public static final int FACTORY_ID = 7001;
  static final int CALL = 1;
  public static final int REPLY = 2;
  static final int QUORUM = 10;
  static final int QUORUM_ANSWER = 11;
  public static final int REMOVE_LOST = 12;

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case CALL -> new CallOperation();
      case REPLY -> new Reply();
      case QUORUM -> new QuorumOperation();
      case REMOVE_LOST -> new RemoveWorkerProcessor();
      case QUORUM_ANSWER -> new QuorumOperation.Answer();
      default -> throw new IllegalArgumentException("no type " + typeId + " in factory 7001");
    };
  }
}
