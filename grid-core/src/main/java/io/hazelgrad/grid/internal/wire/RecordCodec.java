package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record, by its components.
 *
 * @param type the class
 * @param names the names of its components
 * @param types their types
 * @param accessors their accessors
 * @param constructor its canonical constructor
 */
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
      throw new GridException(
          Status.BAD_VALUE,
          "no access to the components of " + type.getName() + ": " + e.getMessage(),
          e);
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
      throw new GridException(
          Status.BAD_VALUE,
          "an accessor of " + type.getName() + " failed: " + ObjectCodecs.reason(e),
          e);
    }
    return new ObjectCodecs.Fields(names, Arrays.asList(values));
  }

  @Override
  public Object make(List<String> fields, List<@Nullable Object> values) {
    @Nullable Object[] components = new @Nullable Object[names.size()];
    boolean[] given = new boolean[components.length];
    for (int i = 0; i < fields.size(); i++) {
      int place = ObjectCodecs.place(fields.get(i), i, names);
      if (place >= 0) {
        if (given[place]) {
          throw ObjectCodecs.twice(type, fields.get(i));
        }
        given[place] = true;
        components[place] = values.get(i);
      }
    }
    for (int i = 0; i < components.length; i++) {
      Class<?> wanted = types.get(i);
      if (!given[i] && wanted.isPrimitive()) {
        components[i] = Array.get(Array.newInstance(wanted, 1), 0);
      } else if (!FunctionRegistry.fits(wanted, components[i])) {
        throw ObjectCodecs.unfit(type, names.get(i), wanted, components[i]);
      }
    }
    try {
      return constructor.newInstance(components);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new GridException(
          Status.BAD_VALUE,
          "cannot make a " + type.getName() + " of what arrived: " + ObjectCodecs.reason(e),
          e);
    }
  }
}
