package io.hazelgrad.grid.internal.concurrent;

import java.util.concurrent.ForkJoinPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the common pool a parallelism of at least 2. With 1, as on machines with two processors,
 * Hazelcast starts a thread for every completion, which costs most of the throughput.
 */
public final class CommonPoolCheck {
  private static final String PROPERTY = "java.util.concurrent.ForkJoinPool.common.parallelism";
  private static final Logger LOG = LoggerFactory.getLogger(CommonPoolCheck.class);

  private CommonPoolCheck() {}

  /** Sets the parallelism if nobody did; it counts only before the pool's first use. */
  public static void configure() {
    if (System.getProperty(PROPERTY) == null && Runtime.getRuntime().availableProcessors() < 3) {
      System.setProperty(PROPERTY, "4");
    }
  }

  public static void check() {
    int parallelism = ForkJoinPool.getCommonPoolParallelism();
    if (parallelism < 2) {
      LOG.warn(
          "the common pool has a parallelism of {}, so Hazelcast starts a thread for every"
              + " completion: start the JVM with -D{}=4",
          parallelism,
          PROPERTY);
    }
  }
}
