package io.hazelgrad.grid;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The classes that a worker lets others name. A class is loaded without running its initialiser,
 * and used only if it is annotated or configured.
 */
final class AllowList {
  private final Set<String> functions;
  private final Set<String> values;
  private final ClassLoader loader;
  private final Map<String, Class<?>> functionClasses = new ConcurrentHashMap<>();
  private final Map<String, Class<?>> valueClasses = new ConcurrentHashMap<>();

  AllowList(Set<String> functions, Set<String> values, ClassLoader loader) {
    this.functions = functions;
    this.values = values;
    this.loader = loader;
  }

  Class<?> functionClass(String name) {
    Class<?> known = functionClasses.get(name);
    if (known != null) {
      return known;
    }
    Class<?> type =
        load(name, functions, RemoteFunctions.class, Status.UNKNOWN_FUNCTION, "functions");
    functionClasses.put(name, type);
    return type;
  }

  Class<?> valueClass(String name) {
    Class<?> known = valueClasses.get(name);
    if (known != null) {
      return known;
    }
    Class<?> type = load(name, values, RemoteValue.class, Status.BAD_VALUE, "values");
    valueClasses.put(name, type);
    return type;
  }

  boolean allowsValue(Class<?> type) {
    return values.contains(type.getName()) || type.isAnnotationPresent(RemoteValue.class);
  }

  /** Returns an exception class that may be created again on the caller, or null. */
  @org.jspecify.annotations.Nullable
  Class<? extends Throwable> exceptionClass(String name) {
    try {
      Class<?> type = Class.forName(name, false, loader);
      return Throwable.class.isAssignableFrom(type) ? type.asSubclass(Throwable.class) : null;
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // Not known here: the caller gets its name and message.
    }
  }

  private Class<?> load(
      String name,
      Set<String> configured,
      Class<? extends Annotation> annotation,
      Status unknown,
      String option) {
    Class<?> type;
    try {
      type = Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new GridException(
          unknown,
          "class " + name + " is not on this worker's class path; code does not travel",
          e);
    }
    if (configured.contains(name) || type.isAnnotationPresent(annotation)) {
      return type;
    }
    throw new GridException(
        Status.NOT_ALLOWED,
        "class "
            + name
            + " is not allowed on this worker: annotate it with @"
            + annotation.getSimpleName()
            + ", or name it in HazelgradConfig.builder()."
            + option
            + "(...)");
  }
}
