package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** Creates the objects that a training job sends between members by Jet. */
final class TrainingSerializerFactory implements DataSerializableFactory {
  static final int FACTORY_ID = 7005;

  static final int META_SUPPLIER = 1;
  static final int SUPPLIER = 2;
  static final int DEALT_ROWS = 3;
  static final int STREAM_POSITION = 4;

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case META_SUPPLIER -> new TrainingMetaSupplier();
      case SUPPLIER -> new TrainingSupplier();
      case DEALT_ROWS -> new DealtRows();
      case STREAM_POSITION -> new StreamPosition();
      default -> throw new IllegalArgumentException("no type " + typeId);
    };
  }
}
