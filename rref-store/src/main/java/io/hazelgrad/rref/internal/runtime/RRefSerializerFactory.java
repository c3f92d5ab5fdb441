package io.hazelgrad.rref.internal.runtime;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.StoredValueProcessor;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import io.hazelgrad.rref.internal.registry.CommandProcessor;
import io.hazelgrad.rref.internal.registry.RegistryQuery;

/**
 * Creates the empty objects into which Hazelcast reads the classes of this module.
 *
 * <p>Every member and client must have the factory in its configuration before it starts. Hazelcast
 * accepts a later one silently and then does not find it.
 */
public final class RRefSerializerFactory implements DataSerializableFactory {
  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case TypeIds.RREF_ID -> new RRefId(0, 0, 0);
      case TypeIds.ENTRY -> new Entry();
      case TypeIds.REGISTRY_QUERY -> new RegistryQuery();
      case TypeIds.COMMAND_PROCESSOR -> new CommandProcessor();
      case TypeIds.STORED_VALUE -> new StoredValue();
      case TypeIds.VALUE_PROCESSOR -> new StoredValueProcessor();
      default -> throw new IllegalArgumentException("Unknown type " + typeId);
    };
  }
}
