package io.hazelgrad.spring;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Gives references to beans of other applications of the grid. A bean can be reached if its class,
 * or an interface of it, has {@link RemoteFunctions}.
 *
 * <pre>{@code
 * try (RRef<Prices> prices = beans.on("shop-1", Prices.class)) {
 *   int price = prices.sync(Prices::price, "pear");
 * }
 * }</pre>
 *
 * <p>Closing a reference leaves the bean in its context. Threads: safe.
 */
public final class RemoteBeans {
  private static final String KEY = "io.hazelgrad.spring.beans";

  private final ListableBeanFactory beans;
  private final ObjectProvider<Grid> grid;
  private volatile @Nullable Map<String, Set<String>> names;

  RemoteBeans(ListableBeanFactory beans, ObjectProvider<Grid> grid) {
    this.beans = beans;
    this.grid = grid;
  }

  /** Makes these beans known to the functions that run on this member. */
  void publish(HazelcastInstance hazelcast) {
    hazelcast.getUserContext().put(KEY, this);
  }

  /**
   * Returns a reference to the bean of a type on a worker. The caller closes it.
   *
   * @param type the bean's class, or an interface of it, with {@link RemoteFunctions}
   * @throws GridException UNKNOWN_WORKER if no worker has the name. Using the reference fails with
   *     UNKNOWN_FUNCTION if the worker has no such bean or several, and with NOT_ALLOWED if the
   *     bean is {@link AutoCloseable}, since the grid would close it
   */
  public <T> RRef<T> on(String worker, Class<T> type) {
    RRef<Object> found = RRefs.on(grid.getObject()).remote(worker, Lookup::bean, type.getName());
    @SuppressWarnings("unchecked") // The worker looked for a bean of this type.
    RRef<T> typed = (RRef<T>) (RRef<?>) found;
    return typed;
  }

  /** Returns the names of the types under which beans of this application can be reached. */
  public Set<String> types() {
    return Set.copyOf(names().keySet());
  }

  private Object bean(String type) {
    List<String> found = List.copyOf(names().getOrDefault(type, Set.of()));
    if (found.size() != 1) {
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          found.isEmpty()
              ? "no bean of the type %s with @RemoteFunctions is here, only of %s"
                  .formatted(type, names().keySet())
              : "%s is the type of several beans, %s; ask for a type that only one has"
                  .formatted(type, found));
    }
    Object bean = beans.getBean(found.get(0));
    if (bean instanceof AutoCloseable) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "bean %s is AutoCloseable, and the grid closes such an object when its last reference goes"
                  .formatted(found.get(0))
              + "; put the remote functions into a bean that is not");
    }
    return bean;
  }

  /** Returns the beans' names by the names of their annotated classes and interfaces. */
  private Map<String, Set<String>> names() {
    Map<String, Set<String>> known = names;
    if (known == null) {
      known = new TreeMap<>();
      for (String name : beans.getBeanNamesForAnnotation(RemoteFunctions.class)) {
        Class<?> type = beans.getType(name);
        for (Class<?> each : type == null ? List.<Class<?>>of() : annotated(type)) {
          known.computeIfAbsent(each.getName(), key -> new TreeSet<>()).add(name);
        }
      }
      names = known;
    }
    return known;
  }

  private static List<Class<?>> annotated(Class<?> type) {
    List<Class<?>> all = new ArrayList<>(List.of(ClassUtils.getAllInterfacesForClass(type)));
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      all.add(each);
    }
    all.removeIf(each -> !AnnotatedElementUtils.isAnnotated(each, RemoteFunctions.class.getName()));
    return all;
  }

  /** The remote function by which a caller gets its reference. */
  @RemoteFunctions
  static final class Lookup {
    private Lookup() {}

    static Object bean(String type) {
      if (Grid.current().hazelcast().getUserContext().get(KEY) instanceof RemoteBeans here) {
        return here.bean(type);
      }
      throw new GridException(
          Status.UNKNOWN_FUNCTION,
          "worker %s is no Spring application with Hazelgrad's starter, so it has no beans"
              .formatted(Grid.current().worker().name()));
    }
  }
}
