package io.hazelgrad.tests.conformance;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.ClientSuite;
import io.hazelgrad.tests.WorkersOnly;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Extension that starts the peer's cluster: the workers {@code worker0} to {@code worker3}, each in
 * a JVM of its own. The first is the JVM of the tests. They are started once for a class and its
 * nested classes.
 *
 * <p>A test of a {@link PeerSuite} class runs on all four at once, each with the next one as its
 * destination. Any other test runs in this JVM only. In a {@link ClientSuite} a test runs once, in
 * a client that takes the place of the first worker.
 */
final class FourWorkers implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
  static final int COUNT = 4;
  static final String CLIENT = "client";

  private static @Nullable JvmCluster cluster;
  private static @Nullable String starter;

  static String name(int rank) {
    return "worker" + Math.floorMod(rank, COUNT);
  }

  /** Returns the cluster, in the JVM of the tests. */
  static JvmCluster cluster() {
    return Objects.requireNonNull(cluster, "not started");
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (cluster == null) {
      cluster =
          JvmCluster.workers(name(1), name(2), name(3))
              .joinedBy(name(0))
              .functions(Math.class)
              .start();
      starter = context.getUniqueId();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getUniqueId().equals(starter)) {
      JvmCluster all = cluster();
      cluster = null;
      starter = null;
      all.close();
    }
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> reflection,
      ExtensionContext context)
      throws Throwable {
    Class<?> type = reflection.getExecutable().getDeclaringClass();
    if (!PeerSuite.class.isAssignableFrom(type)) {
      invocation.proceed();
      return;
    }
    invocation.skip();
    if (WorkersOnly.Condition.isClientSuite(context.getRequiredTestClass())) {
      try (GridClient client = client()) {
        PeerSuite.run(client, type.getName(), reflection.getExecutable().getName());
      }
      return;
    }
    runEverywhere(type.getName(), reflection.getExecutable().getName());
  }

  /** Connects a client named {@value #CLIENT}, in the JVM of the tests, to the other three. */
  static GridClient client() {
    return client(HazelgradConfig.named(CLIENT).build());
  }

  /** Connects a client with a configuration, in the JVM of the tests, to the other three. */
  static GridClient client(HazelgradConfig hazelgrad) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster().grid().hazelcast().getConfig().getClusterName());
    for (int rank = 1; rank < COUNT; rank++) {
      config
          .getNetworkConfig()
          .addAddress(cluster().processes().worker(name(rank)).clientEndpoint());
    }
    config.setProperty("hazelcast.logging.type", "slf4j");
    return GridClient.connect(config, hazelgrad);
  }

  private static void runEverywhere(String type, String test) {
    Function<?> run = Function.named(PeerSuite.class, "run", String.class, String.class);
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (int rank = 0; rank < COUNT; rank++) {
      running.add(cluster().grid().rpc().async(name(rank), run, type, test));
    }
    AssertionError failures = new AssertionError(test + " failed");
    for (int rank = 0; rank < COUNT; rank++) {
      try {
        var unused = Rpc.await(running.get(rank));
      } catch (GridException e) {
        failures.addSuppressed(new AssertionError("on " + name(rank), asThrownThere(e)));
      }
    }
    if (failures.getSuppressed().length > 0) {
      throw failures;
    }
  }

  /** Returns the exception with the stack of the worker where it was thrown, if it arrived. */
  private static Throwable asThrownThere(GridException failure) {
    return failure.remote() != null && failure.getCause() != null ? failure.getCause() : failure;
  }
}
