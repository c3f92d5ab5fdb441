package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
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

  /**
   * Returns the types of a descriptor's parameters as Java writes them, without loading a class. Of
   * a damaged descriptor it makes what it can.
   */
  static List<String> parameterNames(String descriptor) {
    List<String> names = new ArrayList<>();
    int i = 1;
    while (i < descriptor.length() && descriptor.charAt(i) != ')') {
      int start = i;
      while (i < descriptor.length() && descriptor.charAt(i) == '[') {
        i++;
      }
      String brackets = "[]".repeat(i - start);
      if (i < descriptor.length() && descriptor.charAt(i) == 'L') {
        int end = descriptor.indexOf(';', i);
        end = end < 0 ? descriptor.length() : end;
        names.add(descriptor.substring(i + 1, end).replace('/', '.') + brackets);
        i = end;
      } else if (i < descriptor.length()) {
        names.add(primitive(descriptor.charAt(i)) + brackets);
      }
      i++;
    }
    return names;
  }

  private static String primitive(char letter) {
    return switch (letter) {
      case 'B' -> "byte";
      case 'C' -> "char";
      case 'D' -> "double";
      case 'F' -> "float";
      case 'I' -> "int";
      case 'J' -> "long";
      case 'S' -> "short";
      case 'Z' -> "boolean";
      default -> "?";
    };
  }

  /**
   * Returns a method by class, name and parameter types, as {@link
   * io.hazelgrad.grid.Function#named} does.
   */
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
    List<String> found = new ArrayList<>();
    if (method.equals(MethodFunction.CONSTRUCTOR)) {
      Arrays.stream(type.getDeclaredConstructors())
          .forEach(
              c ->
                  found.add(
                      describe("", MethodFunction.CONSTRUCTOR, typeNames(c.getParameterTypes()))));
    } else {
      all(type)
          .filter(m -> m.getName().equals(method))
          .forEach(m -> found.add(describe("", method, typeNames(m.getParameterTypes()))));
    }
    return found.isEmpty()
        ? "no method of that name"
        : found.stream().distinct().sorted().collect(Collectors.joining(" and "));
  }

  /** Returns the text of a method for people. */
  static String describe(String type, String method, List<String> parameters) {
    return type + "::" + method + parameters.stream().collect(Collectors.joining(", ", "(", ")"));
  }

  private static List<String> typeNames(Class<?>... types) {
    return Arrays.stream(types).map(Class::getTypeName).toList();
  }
}
