package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.MessageKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A method or constructor, as class name, method name ({@code "new"} for a constructor) and JVM
 * descriptor.
 */
public final class MethodFunction<R> extends Function<R> {
  public static final String CONSTRUCTOR = "new";

  public final String type;
  public final String method;
  public final String descriptor;

  /** Made when it is first asked for. */
  private @Nullable String text;

  public MethodFunction(String type, String method, String descriptor) {
    this.type = type;
    this.method = method;
    this.descriptor = descriptor;
  }

  static <R> MethodFunction<R> find(Class<?> type, String method, Class<?>... parameterTypes) {
    try {
      String descriptor =
          method.equals(CONSTRUCTOR)
              ? MethodLookup.descriptor(
                  void.class, type.getDeclaredConstructor(parameterTypes).getParameterTypes())
              : MethodLookup.descriptor(
                  MethodLookup.find(type, method, parameterTypes).getReturnType(), parameterTypes);
      return new MethodFunction<>(type.getName(), method, descriptor);
    } catch (NoSuchMethodException e) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          describe(type.getName(), method, names(parameterTypes))
              + " does not exist; the class has "
              + candidates(type, method),
          e);
    }
  }

  private static String candidates(Class<?> type, String method) {
    List<String> found = new ArrayList<>();
    if (method.equals(CONSTRUCTOR)) {
      Arrays.stream(type.getDeclaredConstructors())
          .forEach(c -> found.add(describe("", CONSTRUCTOR, names(c.getParameterTypes()))));
    } else {
      MethodLookup.all(type)
          .filter(m -> m.getName().equals(method))
          .forEach(m -> found.add(describe("", method, names(m.getParameterTypes()))));
    }
    return found.isEmpty()
        ? "no method of that name"
        : found.stream().distinct().sorted().collect(Collectors.joining(" and "));
  }

  @Override
  public MessageKind kind() {
    return MessageKind.FUNCTION;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MethodFunction<?> that
        && method.equals(that.method)
        && type.equals(that.type)
        && descriptor.equals(that.descriptor);
  }

  @Override
  public int hashCode() {
    return (type.hashCode() * 31 + method.hashCode()) * 31 + descriptor.hashCode();
  }

  @Override
  public String toString() {
    String known = text;
    if (known == null) { // Written by several threads at worst, always the same.
      known = describe(type, method, MethodLookup.parameterNames(descriptor));
      text = known;
    }
    return known;
  }
}
