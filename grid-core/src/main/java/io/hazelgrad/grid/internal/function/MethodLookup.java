package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks methods up, in a class and in what it inherits, and reads JVM descriptors. */
public final class MethodLookup {
  private MethodLookup() {}

  /** Returns the methods of a class and those it inherits, its own first, without Object's. */
  static Stream<Method> all(Class<?> type) {
    Stream<Method> found = Stream.empty();
    for (Class<?> c = type; c != null && (c == type || c != Object.class); c = c.getSuperclass()) {
      found = Stream.concat(found, Arrays.stream(c.getDeclaredMethods()));
    }
    return Stream.concat(
        found,
        Arrays.stream(type.getMethods())
            .filter(m -> m.getDeclaringClass().isInterface() && m.getDeclaringClass() != type));
  }

  static Method find(Class<?> type, String name, Class<?>... parameterTypes)
      throws NoSuchMethodException {
    return all(type)
        .filter(m -> m.getName().equals(name))
        .filter(m -> Arrays.equals(m.getParameterTypes(), parameterTypes))
        .filter(m -> !m.isBridge())
        .findFirst()
        .orElseThrow(() -> new NoSuchMethodException(type.getName() + "." + name));
  }

  /** Finds a method of a class, or that it inherits, by its JVM descriptor. */
  public static Method find(Class<?> type, String name, String descriptor)
      throws NoSuchMethodException {
    return all(type)
        .filter(m -> m.getName().equals(name))
        .filter(m -> descriptor(m.getReturnType(), m.getParameterTypes()).equals(descriptor))
        .findFirst()
        .orElseThrow(() -> new NoSuchMethodException(type.getName() + "." + name + descriptor));
  }

  /** Finds a constructor of a class by its JVM descriptor. */
  public static Constructor<?> constructor(Class<?> type, String descriptor)
      throws NoSuchMethodException {
    return Arrays.stream(type.getDeclaredConstructors())
        .filter(c -> descriptor(void.class, c.getParameterTypes()).equals(descriptor))
        .findFirst()
        .orElseThrow(() -> new NoSuchMethodException(type.getName() + descriptor));
  }

  static String descriptor(Class<?> result, Class<?>... parameterTypes) {
    return MethodType.methodType(result, parameterTypes).toMethodDescriptorString();
  }

  /** Returns a descriptor's parameter types as Java writes them, without loading a class. */
  static List<String> parameterNames(String descriptor) {
    try {
      return MethodTypeDesc.ofDescriptor(descriptor).parameterList().stream()
          .map(MethodLookup::name)
          .toList();
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // The latter on JDK 25.
      return List.of("?"); // A peer sent a damaged one.
    }
  }

  private static String name(ClassDesc type) {
    ClassDesc component = type.componentType();
    String prefix = type.packageName().isEmpty() ? "" : type.packageName() + ".";
    return component == null ? prefix + type.displayName() : name(component) + "[]";
  }

  /** Returns a method by class, name and parameter types, as {@code Function.named} does. */
  public static <R> MethodFunction<R> named(
      Class<?> type, String method, Class<?>... parameterTypes) {
    try {
      String descriptor =
          method.equals(MethodFunction.CONSTRUCTOR)
              ? descriptor(
                  void.class, type.getDeclaredConstructor(parameterTypes).getParameterTypes())
              : descriptor(find(type, method, parameterTypes).getReturnType(), parameterTypes);
      return new MethodFunction<>(type.getName(), method, descriptor);
    } catch (NoSuchMethodException e) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          describe(type.getName(), method, typeNames(parameterTypes))
              + " does not exist; the class has "
              + candidates(type, method),
          e);
    }
  }

  private static String candidates(Class<?> type, String method) {
    Stream<? extends Executable> found =
        method.equals(MethodFunction.CONSTRUCTOR)
            ? Arrays.stream(type.getDeclaredConstructors())
            : all(type).filter(m -> m.getName().equals(method));
    String texts =
        found
            .map(each -> describe("", method, typeNames(each.getParameterTypes())))
            .distinct()
            .sorted()
            .collect(Collectors.joining(" and "));
    return texts.isEmpty() ? "no method of that name" : texts;
  }

  /** Returns the text of a method for people. */
  static String describe(String type, String method, List<String> parameters) {
    return type + "::" + method + parameters.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  private static List<String> typeNames(Class<?>... types) {
    return Arrays.stream(types).map(Class::getTypeName).toList();
  }
}
