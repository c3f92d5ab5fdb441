package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.GridException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A class with a constructor without parameters, by its fields: all that are neither static nor
 * transient, those of its superclasses included.
 */
record FieldCodec(Class<?> type, List<String> names, List<Field> fields, Constructor<?> constructor)
    implements ObjectCodecs.Form {

  private static final String REMEDY =
      ": make it a record, or give the grid a TypeCodec or the Hazelcast configuration a"
          + " CompactSerializer for it";

  static FieldCodec of(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Class<?> c = type; c != Object.class && c != null; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (Modifier.isStatic(modifiers) || Modifier.isTransient(modifiers)) {
          continue;
        }
        if (Modifier.isFinal(modifiers)) {
          throw refused(type, "its field " + field.getName() + " is final", null);
        }
        if (!names.add(field.getName())) {
          throw refused(type, "it has two fields named " + field.getName(), null);
        }
        fields.add(field);
      }
    }
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      fields.forEach(field -> field.setAccessible(true));
      return new FieldCodec(
          type, fields.stream().map(Field::getName).toList(), List.copyOf(fields), constructor);
    } catch (NoSuchMethodException e) {
      throw refused(type, "it has no constructor without parameters", e);
    } catch (RuntimeException e) {
      throw refused(type, "its fields cannot be reached (" + e.getMessage() + ")", e);
    }
  }

  private static GridException refused(Class<?> type, String why, @Nullable Exception cause) {
    return ValueCodec.bad(
        "values of " + type.getName() + " cannot travel by their fields, " + why + REMEDY, cause);
  }

  @Override
  public ObjectCodecs.Fields take(Object value) {
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    try {
      for (int i = 0; i < values.length; i++) {
        values[i] = fields.get(i).get(value);
      }
    } catch (IllegalAccessException e) {
      throw refused(type, "a field cannot be read", e);
    }
    return new ObjectCodecs.Fields(names, Arrays.asList(values));
  }

  @Override
  public Object make(List<String> given, List<@Nullable Object> values) {
    Object made;
    try {
      made = constructor.newInstance();
      int[] sources = ObjectCodecs.sources(type, given, names);
      for (int i = 0; i < sources.length; i++) {
        if (sources[i] >= 0) {
          Field field = fields.get(i);
          Object value = values.get(sources[i]);
          ObjectCodecs.requireFit(type, names.get(i), field.getType(), value);
          field.set(made, value);
        }
      }
      return made;
    } catch (ReflectiveOperationException | LinkageError e) {
      throw ValueCodec.bad("cannot make a " + type.getName() + ": " + ObjectCodecs.reason(e), e);
    }
  }
}
