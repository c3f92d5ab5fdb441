package io.hazelgrad.grid;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** Makes the messages of calls on the receiving side. */
final class GridSerializers implements DataSerializableFactory {
  static final int FACTORY_ID = 7001;
  static final int CALL = 1;
  static final int REPLY = 2;

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case CALL -> new CallOperation();
      case REPLY -> new Reply();
      default -> throw new IllegalArgumentException("no type " + typeId + " in factory 7001");
    };
  }
}
