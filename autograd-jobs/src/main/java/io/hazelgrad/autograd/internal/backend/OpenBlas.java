package io.hazelgrad.autograd.internal.backend;

import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.jspecify.annotations.Nullable;

/** Loads OpenBLAS, which ND4J brings, once. A class of its own: this one loads without it. */
final class OpenBlas {
  private OpenBlas() {}

  /** What was wrong when it was loaded; tried when it is first asked. */
  private static final class Library {
    static final @Nullable String PROBLEM = problem();

    private static @Nullable String problem() {
      try {
        String unused = Loader.load(openblas_nolapack.class);
        return null;
      } catch (LinkageError e) {
        return e.toString();
      }
    }
  }

  /** Returns whether it is there; it is loaded then. */
  static boolean isThere() {
    return Library.PROBLEM == null;
  }

  /**
   * Makes sure that it is there.
   *
   * @throws UnsatisfiedLinkError if it could not be loaded
   */
  static void require() {
    String problem = Library.PROBLEM;
    if (problem != null) {
      throw new UnsatisfiedLinkError(problem);
    }
  }
}
