package io.hazelgrad.autograd.internal.backend;

import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.jspecify.annotations.Nullable;

/** Loads the OpenBLAS library of ND4J once. This class itself can be loaded without the library. */
final class OpenBlas {
  /** The reason why the library could not be loaded at the first use of this class, or null. */
  private static final @Nullable String PROBLEM = problem();

  private OpenBlas() {}

  private static @Nullable String problem() {
    try {
      String unused = Loader.load(openblas_nolapack.class);
      return null;
    } catch (LinkageError e) {
      return e.toString();
    }
  }

  /** Loads the library and returns whether that succeeded. */
  static boolean isThere() {
    return PROBLEM == null;
  }

  /**
   * Requires the library.
   *
   * @throws UnsatisfiedLinkError if it could not be loaded
   */
  static void require() {
    if (PROBLEM != null) {
      throw new UnsatisfiedLinkError(PROBLEM);
    }
  }
}
