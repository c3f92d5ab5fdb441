package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.internal.pass.GradientMessage;

/** Creates the objects that a backward pass sends between members by Jet. */
public final class AutogradSerializerFactory implements DataSerializableFactory {
  public static final int FACTORY_ID = GradientMessage.FACTORY_ID;

  static final int PASS_META_SUPPLIER = 2;
  static final int PASS_SUPPLIER = 3;

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case GradientMessage.CLASS_ID -> new GradientMessage();
      case PASS_META_SUPPLIER -> new PassMetaSupplier();
      case PASS_SUPPLIER -> new PassSupplier();
      default -> throw new IllegalArgumentException("no type " + typeId);
    };
  }
}
