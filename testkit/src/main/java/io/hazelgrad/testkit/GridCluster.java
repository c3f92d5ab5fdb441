package io.hazelgrad.testkit;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * A grid for tests, in which workers are killed, frozen and cut off. The test's own JVM is one of
 * its workers, the driver. {@link GridTest} gives one to a test.
 */
public sealed interface GridCluster extends AutoCloseable permits JvmCluster, InProcessCluster {
  /** The default name of the test's own worker. */
  String DRIVER = "driver";

  /** Returns the test's own worker. */
  Grid grid();

  /** Returns the names of the workers that run, frozen ones included, without the driver. */
  List<String> workerNames();

  /** Returns the configuration of a Hazelcast client for this grid. */
  ClientConfig clientConfig();

  /**
   * Ends a worker without a leave, like the death of its process. The others may not have noticed
   * when this returns.
   */
  void kill(String worker);

  /** Ends a worker, which hands its data over before. */
  void stop(String worker);

  /** Starts a worker anew, or one more, and waits until it is in the grid. */
  void start(String worker);

  /** Starts the workers anew that were there at first and have ended. */
  void startMissing();

  /**
   * Stops all threads of a worker (SIGSTOP); its connections stay open.
   *
   * @throws GridException BAD_ARGUMENT if the worker is a member in this JVM
   */
  void freeze(String worker);

  /** Lets a frozen worker go on (SIGCONT); throws as {@link #freeze}. */
  void thaw(String worker);

  /**
   * Cuts the network between two workers in both directions. The driver is one of them or not.
   *
   * @throws GridException BAD_ARGUMENT if the network of this grid cannot be cut
   */
  void cut(String one, String other);

  /** Heals all cuts; throws as {@link #cut}. */
  void heal();

  /** Waits until exactly these workers and the driver are in the grid. */
  default void awaitWorkers(String... names) {
    Set<String> expected = new TreeSet<>(List.of(names));
    expected.add(grid().worker().name());
    Await.until(JvmCluster.PATIENCE, () -> WorkerProbe.difference(grid(), expected));
  }

  /** Waits until the workers of the start and the driver are in the grid and reach each other. */
  void awaitPeace();

  /** Ends all workers, and the driver, without a hand-over. */
  @Override
  void close();

  /** Returns the references of the driver. */
  default RRefs rrefs() {
    return RRefs.on(grid());
  }

  /** Returns how many objects a worker owns. */
  default int objectsOn(String worker) {
    return grid().rpc().sync(worker, WorkerProbe::objects);
  }

  /** Returns the faults of the messages that the driver sends. */
  default Faults faults() {
    return Faults.of(grid());
  }

  /** Connects a client of this name. The test closes it. */
  default GridClient client(String name) {
    return GridClient.connect(clientConfig(), HazelgradConfig.named(name).build());
  }

  /**
   * Waits up to 30 s for a condition. The message puts it in words, such as "the object is gone".
   *
   * @throws AssertionError with the message if the time passes
   */
  default void await(String message, BooleanSupplier condition) {
    Await.until(message, JvmCluster.PATIENCE, condition);
  }
}
