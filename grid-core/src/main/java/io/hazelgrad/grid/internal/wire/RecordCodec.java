package io.hazelgrad.grid.internal.wire;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A record, by its components. */
record RecordCodec(
    Class<?> type,
    List<String> names,
    List<Class<?>> types,
    List<Method> accessors,
    Constructor<?> constructor)
    implements ObjectCodecs.Form {

  static RecordCodec of(Class<?> type) {
    RecordComponent[] parts = type.getRecordComponents();
    try {
      Class<?>[] types =
          Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      List<Method> accessors = Stream.of(parts).map(RecordComponent::getAccessor).toList();
      accessors.forEach(accessor -> accessor.setAccessible(true));
      return new RecordCodec(
          type,
          Stream.of(parts).map(RecordComponent::getName).toList(),
          List.of(types),
          accessors,
          constructor);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw ValueCodec.bad(
          "no access to the components of " + type.getName() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public ObjectCodecs.Fields take(Object value) {
    @Nullable Object[] values = new @Nullable Object[names.size()];
    try {
      for (int i = 0; i < values.length; i++) {
        values[i] = accessors.get(i).invoke(value);
      }
    } catch (ReflectiveOperationException e) {
      throw ValueCodec.bad(
          "an accessor of " + type.getName() + " failed: " + ObjectCodecs.reason(e), e);
    }
    return new ObjectCodecs.Fields(names, Arrays.asList(values));
  }

  @Override
  public Object make(List<String> fields, List<@Nullable Object> values) {
    int[] sources = ObjectCodecs.sources(type, fields, names);
    @Nullable Object[] components = new @Nullable Object[sources.length];
    for (int i = 0; i < components.length; i++) {
      Class<?> wanted = types.get(i);
      if (sources[i] < 0 && wanted.isPrimitive()) {
        components[i] = Array.get(Array.newInstance(wanted, 1), 0);
      } else if (sources[i] >= 0) {
        components[i] = values.get(sources[i]);
        ObjectCodecs.requireFit(type, names.get(i), wanted, components[i]);
      }
    }
    try {
      return constructor.newInstance(components);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw ValueCodec.bad(
          "cannot make a " + type.getName() + " of what arrived: " + ObjectCodecs.reason(e), e);
    }
  }
}
