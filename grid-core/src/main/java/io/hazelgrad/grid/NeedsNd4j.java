package io.hazelgrad.grid;

import java.util.function.Supplier;

/** Runs work that needs ND4J, which a thin client need not have, and says what is missing. */
public final class NeedsNd4j {
  private NeedsNd4j() {}

  /** Does something by ND4J; throws BAD_CONFIG with {@code what} if that cannot be loaded. */
  public static <T> T toDo(Object what, Supplier<T> work) {
    try {
      return work.get();
    } catch (LinkageError e) { // Its first use fails otherwise than the later ones.
      String form =
          "%s needs ND4J, which this process cannot load (%s): add org.nd4j:nd4j-native to its"
              + " class path, both the plain artifact and the one with the classifier of this"
              + " system, such as linux-x86_64";
      throw new GridException(Status.BAD_CONFIG, form.formatted(what, e), e);
    }
  }
}
