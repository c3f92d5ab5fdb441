package io.hazelgrad.grid;

import java.util.function.Supplier;

/**
 * Says what is missing where something needs ND4J and this process has none: a thin client does
 * without it otherwise.
 */
public final class NeedsNd4j {
  private NeedsNd4j() {}

  /** As {@link #toDo}, without a result. */
  public static void toRun(Object what, Runnable work) {
    var unused =
        toDo(
            what,
            () -> {
              work.run();
              return true;
            });
  }

  /**
   * Does something by ND4J.
   *
   * @param what what it is, for the error: only that makes it a text
   * @throws GridException BAD_CONFIG if ND4J's classes or native libraries cannot be loaded
   */
  public static <T> T toDo(Object what, Supplier<T> work) {
    try {
      return work.get();
    } catch (LinkageError e) { // Its first use fails otherwise than the later ones.
      throw new GridException(
          Status.BAD_CONFIG,
          what
              + " needs ND4J, which this process cannot load ("
              + e
              + "): add org.nd4j:nd4j-native to its class path, both the plain artifact and the one"
              + " with the classifier of this system, such as linux-x86_64",
          e);
    }
  }
}
