package io.hazelgrad.grid.internal.function;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GraphCatalog;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.OperatorCatalog;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The functions that a worker can run: operators, allowed methods, graphs, and services. */
public final class FunctionRegistry {
  /** The class of the box of each primitive type. */
  public static final Map<Class<?>, Class<?>> BOXES =
      Map.of(
          boolean.class, Boolean.class,
          byte.class, Byte.class,
          short.class, Short.class,
          char.class, Character.class,
          int.class, Integer.class,
          long.class, Long.class,
          float.class, Float.class,
          double.class, Double.class);

  /** A service with its lane. */
  public record Service(Handler.Lane lane, Handler handler) {}

  /**
   * A method or constructor.
   *
   * @param handle takes all arguments as one Object[]
   * @param parameters what it takes; for an instance method its object first
   * @param needsObject whether the first argument is the object of an instance method
   * @param roles sets of roles, of each of which a caller needs one
   */
  public record Target(
      MethodFunction<?> function,
      MethodHandle handle,
      List<Class<?>> parameters,
      boolean needsObject,
      List<Set<String>> roles) {
    /** Refuses a request whose caller lacks a role. */
    void requireRoles(Incoming request) {
      CallerRoles caller = CallerRoles.of(request);
      for (Set<String> needed : roles) {
        if (!caller.hasOneOf(needed)) {
          throw new GridException(
              Status.NOT_ALLOWED,
              ("%s is only for callers with the role %s, and %s has %s: start it with that role"
                      + " (HazelgradConfig.roles, hazelgrad member --roles), or call a worker that"
                      + " has it")
                  .formatted(
                      function,
                      String.join(" or ", new TreeSet<>(needed)),
                      request.sender().name(),
                      caller.names().isEmpty() ? "none" : String.join(", ", caller.names())));
        }
      }
    }

    /** Returns whether the arguments are of the types that the method takes. */
    public boolean takes(List<@Nullable Object> arguments) {
      if (arguments.size() != parameters.size()) {
        return false;
      }
      for (int i = 0; i < arguments.size(); i++) {
        Object argument = arguments.get(i);
        if (!fits(parameters.get(i), argument) || (i == 0 && needsObject && argument == null)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Returns whether a parameter or field of a type can hold a value, as Java would convert it. */
  public static boolean fits(Class<?> type, @Nullable Object value) {
    if (value == null) {
      return !type.isPrimitive();
    }
    if (!type.isPrimitive()) {
      return type.isInstance(value);
    }
    if (BOXES.get(type) == value.getClass()) {
      return true;
    }
    try { // Java's own rule for unboxing and widening, as the handle applies it.
      Array.set(Array.newInstance(type, 1), 0, value);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private final AllowList allowed;

  /** By the names of classes, what counts in place of their annotations. */
  private final Map<String, Set<String>> configuredRoles;

  private final Map<MethodFunction<?>, Target> methods = new ConcurrentHashMap<>();
  private final Map<String, Service> services = new ConcurrentHashMap<>();
  private volatile @Nullable OperatorCatalog operators;
  private volatile @Nullable GraphCatalog graphs;

  /** True when all extensions have started. Until then an unknown service may still come. */
  private volatile boolean complete;

  public FunctionRegistry(AllowList allowed, Map<String, Set<String>> configuredRoles) {
    this.allowed = allowed;
    this.configuredRoles = configuredRoles;
  }

  /** Returns the operators, of which one was asked for by name. */
  OperatorCatalog operators(String asked) {
    OperatorCatalog catalog = operators;
    if (catalog == null) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          ("operator \"%s\": this process has no operation catalogue on its class path (module"
                  + " autograd-jobs)")
              .formatted(asked));
    }
    return catalog;
  }

  public void operators(OperatorCatalog catalog) {
    if (operators != null) {
      throw new IllegalStateException("two operation catalogues: " + operators + ", " + catalog);
    }
    operators = catalog;
  }

  public GraphCatalog graphs() {
    GraphCatalog catalog = graphs;
    if (catalog == null) {
      throw new GridException(Status.UNKNOWN_FUNCTION, "graphs cannot be called yet: joining");
    }
    return catalog;
  }

  public void graphs(GraphCatalog catalog) {
    if (graphs != null) {
      throw new IllegalStateException("two catalogues of graphs: " + graphs + ", " + catalog);
    }
    graphs = catalog;
  }

  public void service(String name, Handler.Lane lane, Handler handler) {
    if (services.putIfAbsent(name, new Service(lane, handler)) != null) {
      throw new IllegalStateException("two services are named " + name);
    }
  }

  public Set<String> services() {
    return Set.copyOf(services.keySet());
  }

  /** Returns the lane of a service. */
  Handler.Lane lane(String name) {
    Service service = services.get(name);
    return service == null && !complete ? Handler.Lane.CONTROL : service(name).lane();
  }

  /** Ends the start: from now on a service that is not here is unknown. */
  public void complete() {
    complete = true;
  }

  public Service service(String name) {
    Service service = services.get(name);
    if (service == null) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          "this worker has no service %s; do all members have the same Hazelgrad modules?"
              .formatted(name));
    }
    return service;
  }

  public Target method(MethodFunction<?> function) {
    Target target = methods.get(function);
    if (target == null) {
      target = find(function);
      methods.put(function, target);
    }
    return target;
  }

  /** Returns an equal function whose text may be known already. */
  MethodFunction<?> known(MethodFunction<?> function) {
    Target target = methods.get(function);
    return target == null ? function : target.function();
  }

  /**
   * Looks a method up. The class is checked first; the types in the descriptor are compared as text
   * with those of the methods that are there, so that nobody makes us load them by naming them.
   */
  private Target find(MethodFunction<?> function) {
    Class<?> type = allowed.functionClass(function.type);
    try {
      Executable found =
          function.method.equals(MethodFunction.CONSTRUCTOR)
              ? MethodLookup.constructor(type, function.descriptor)
              : MethodLookup.find(type, function.method, function.descriptor);
      if (Modifier.isPrivate(found.getModifiers())) {
        throw new GridException(
            Status.NOT_ALLOWED, function + " is private, so it cannot be called");
      }
      if (found instanceof Constructor<?> && Modifier.isAbstract(type.getModifiers())) {
        throw new GridException(
            Status.NOT_ALLOWED, function + " cannot be called: the class is abstract");
      }
      MethodHandle handle = handle(found).asFixedArity();
      int count = handle.type().parameterCount();
      return new Target(
          function,
          handle.asSpreader(Object[].class, count),
          List.copyOf(handle.type().parameterList()),
          found instanceof Method && !Modifier.isStatic(found.getModifiers()),
          // A subclass that everybody may name does not open the methods that it inherits.
          Stream.of(type, found.getDeclaringClass())
              .map(this::roles)
              .distinct()
              .filter(roles -> !roles.isEmpty())
              .toList());
    } catch (NoSuchMethodException e) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          function + " does not exist on this worker; is its class of the same version here?",
          e);
    } catch (TypeNotPresentException | LinkageError e) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          function + " cannot be looked up: something that its class needs is missing here: " + e,
          e);
    } catch (IllegalAccessException | IllegalArgumentException e) {
      throw new GridException(Status.NOT_ALLOWED, function + " cannot be called: " + e, e);
    }
  }

  private Set<String> roles(Class<?> type) {
    RemoteFunctions annotation = type.getAnnotation(RemoteFunctions.class);
    Set<String> annotated =
        annotation == null ? Set.of() : new TreeSet<>(Arrays.asList(annotation.roles()));
    return configuredRoles.getOrDefault(type.getName(), annotated);
  }

  private static MethodHandle handle(Executable found) throws IllegalAccessException {
    MethodHandles.Lookup lookup;
    try {
      lookup = MethodHandles.privateLookupIn(found.getDeclaringClass(), MethodHandles.lookup());
    } catch (IllegalAccessException e) {
      lookup = MethodHandles.publicLookup(); // A module that is not open to us, such as the JDK's.
    }
    return found instanceof Method method
        ? lookup.unreflect(method)
        : lookup.unreflectConstructor((Constructor<?>) found);
  }
}
