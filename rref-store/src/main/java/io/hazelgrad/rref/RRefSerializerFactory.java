package io.hazelgrad.rref;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/**
 * Makes the empty objects into which Hazelcast reads what this package puts on the wire.
 *
 * <p>Every member and every client must have it in its configuration before it starts; Hazelcast
 * accepts a factory that is added later and then does not know it.
 */
public final class RRefSerializerFactory implements DataSerializableFactory {
  /** The id under which this factory is registered. */
  public static final int FACTORY_ID = 7002;

  static final int RREF_ID = 1;
  static final int ENTRY = 2;
  static final int REGISTRY_QUERY = 4;
  static final int REGISTRY_BATCH = 5;
  static final int REGISTRY_BACKUP = 6;
  static final int STORED_VALUE = 7;
  static final int VALUE_PROCESSOR = 8;

  /** Makes the factory; it has no state. */
  public RRefSerializerFactory() {}

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case RREF_ID -> new RRefId();
      case ENTRY -> new Entry();
      case REGISTRY_QUERY -> new RegistryQuery();
      case REGISTRY_BATCH -> new RegistryBatch();
      case REGISTRY_BACKUP -> new RegistryBackup();
      case STORED_VALUE -> new StoredValue();
      case VALUE_PROCESSOR -> new ValueProcessor();
      default -> throw new IllegalArgumentException("Unknown type " + typeId);
    };
  }
}
