package io.hazelgrad.rref.internal.registry;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.StoredValueProcessor;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.StoredValue;

/**
 * Makes the empty objects into which Hazelcast reads what this package puts on the wire.
 *
 * <p>Every member and every client must have it in its configuration before it starts; Hazelcast
 * accepts a factory that is added later and then does not know it.
 */
public final class RRefSerializerFactory implements DataSerializableFactory {
  /** The id under which this factory is registered. */
  public static final int FACTORY_ID = 7002;

  public static final int RREF_ID = 1;
  public static final int ENTRY = 2;
  static final int REGISTRY_QUERY = 4;
  static final int REGISTRY_BATCH = 5;
  static final int REGISTRY_BACKUP = 6;
  public static final int STORED_VALUE = 7;
  public static final int VALUE_PROCESSOR = 8;

  /** Makes the factory; it has no state. */
  public RRefSerializerFactory() {}

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case RREF_ID -> new RRefId();
      case ENTRY -> new Entry();
      case REGISTRY_QUERY -> new RegistryQuery();
      case REGISTRY_BATCH -> new RegistryBatchOperation();
      case REGISTRY_BACKUP -> new RegistryBackupOperation();
      case STORED_VALUE -> new StoredValue();
      case VALUE_PROCESSOR -> new StoredValueProcessor();
      default -> throw new IllegalArgumentException("Unknown type " + typeId);
    };
  }
}
