package io.hazelgrad.grid;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import java.io.Serializable;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Connects the static methods of this package with their implementation. Not for applications. */
public interface GridProvider {
  /** The provider of this process, which {@link ServiceLoader} finds at its first use. */
  GridProvider INSTANCE = load(GridProvider.class, "GridProvider");

  /** Returns the implementation of a service of grid-core; throws BAD_CONFIG if it is missing. */
  static <S> S load(Class<S> service, String name) {
    String text =
        "no %s on the class path: META-INF/services of grid-core is missing;"
            + " merge service files when you repackage jars";
    return ServiceLoader.load(service, service.getClassLoader())
        .findFirst()
        .orElseThrow(() -> new GridException(Status.BAD_CONFIG, text.formatted(name)));
  }

  /** Starts the worker of {@link Grid#join}. */
  Grid join(HazelgradConfig config, Config hazelcast);

  /** Starts the worker of {@link Grid#on}. */
  Grid on(HazelcastInstance instance);

  /** Returns the grid of {@link Grid#current}, or null on a thread that runs no called function. */
  @Nullable Grid current();

  /** Adds to a configuration what {@link HazelgradConfig#prepare} promises. */
  Config prepare(Config hazelcast, HazelgradConfig config);

  /** Returns the function that a method reference names. */
  <R> Function<R> resolve(Serializable reference);

  /** Returns the function of {@link Function#named}. */
  <R> Function<R> named(Class<?> type, String method, Class<?>... parameterTypes);

  /** Returns the function of {@link Function#operator}. */
  <R> Function<R> operator(String name);

  /** Returns the function of {@link Function#graph}. */
  <R> Function<R> graph(String name);

  /** Cancels a call as {@link Rpc#cancel} does. */
  CompletableFuture<Cancellation> cancel(CompletableFuture<?> call);

  /** Waits for a future as {@link Rpc#await} does. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future);

  /** Waits at most so long for a future's end, without a permit; returns whether it has ended. */
  boolean awaitEnd(CompletableFuture<?> future, long nanos);

  /** Returns a failure as a GridException with the stack trace of this thread. */
  GridException failure(Throwable thrown);
}
