package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The classes that a worker lets others name. A name that the configuration has is loaded; of any
 * other the annotation must be seen first, so a class of that name is loaded from the class path,
 * but not initialised: none of its code runs. What remains is that a peer can make this worker load
 * classes that lie on its class path anyway. No name goes further than that: only names of plain
 * classes are looked for, and what was refused is not kept.
 */
public final class AllowList {
  private static final int MAX_NAME = 1000;

  private final Set<String> functions;
  private final Set<String> values;
  private final ClassLoader loader;
  private final Map<String, Class<?>> functionClasses = new ConcurrentHashMap<>();
  private final Map<String, Class<?>> valueClasses = new ConcurrentHashMap<>();

  public AllowList(Set<String> functions, Set<String> values, ClassLoader loader) {
    this.functions = functions;
    this.values = values;
    this.loader = loader;
  }

  /** Returns a class whose methods may be called. */
  public Class<?> functionClass(String name) {
    Class<?> type = functionClasses.get(name);
    if (type == null) {
      type = load(name, functions, RemoteFunctions.class, Status.UNKNOWN_FUNCTION, "functions");
      functionClasses.put(name, type);
    }
    return type;
  }

  /** Returns a class whose values may arrive. */
  public Class<?> valueClass(String name) {
    Class<?> type = valueClasses.get(name);
    if (type == null) {
      type = load(name, values, RemoteValue.class, Status.BAD_VALUE, "values");
      valueClasses.put(name, type);
    }
    return type;
  }

  public boolean allowsValue(Class<?> type) {
    return type.isAnnotationPresent(RemoteValue.class) || values.contains(type.getName());
  }

  /**
   * Returns an exception class that may be made anew on the caller: a public one of the JDK, or an
   * allowed one. Null for all others; they are not loaded, unless to see the annotation.
   */
  public @Nullable Class<? extends Throwable> exceptionClass(String name) {
    try {
      Class<?> type;
      if (name.startsWith("java.")) {
        type = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
        if (!Modifier.isPublic(type.getModifiers())) {
          return null;
        }
      } else {
        type = valueClass(name);
      }
      return Throwable.class.isAssignableFrom(type) ? type.asSubclass(Throwable.class) : null;
    } catch (ClassNotFoundException | LinkageError | GridException e) {
      return null; // Not known or not allowed here: the caller gets its name and message.
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
      if (name.length() > MAX_NAME || name.startsWith("[") || name.indexOf('/') >= 0) {
        throw new ClassNotFoundException("not the name of a class");
      }
      type = Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      String shown = name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "..." : name;
      throw new GridException(
          unknown,
          "class " + shown + " is not on this worker's class path; code does not travel",
          e);
    }
    if (configured.contains(name) || type.isAnnotationPresent(annotation)) {
      return type;
    }
    throw new GridException(
        Status.NOT_ALLOWED,
        ("class %s is not allowed on this worker: annotate it with @%s, or name it in"
                + " HazelgradConfig.builder().%s(...)")
            .formatted(name, annotation.getSimpleName(), option));
  }
}
