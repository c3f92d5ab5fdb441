package io.hazelgrad.autograd.internal.backend;

import dev.ludovic.netlib.blas.NativeBLAS;
import io.hazelgrad.autograd.internal.backend.Kernels.Product;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.jspecify.annotations.Nullable;

/**
 * Matrix products by OpenBLAS on the Java arrays themselves. The library netlib pins the arrays for
 * the duration of a call, so nothing is copied.
 *
 * <p>On Java 17 no garbage collection can begin while an array is pinned. So one call computes as
 * many rows as take a few milliseconds, and a large product takes several calls.
 */
final class PinnedBlas {
  private static final String LIBRARY_PATH = "dev.ludovic.netlib.blas.nativeLibPath";

  /** The multiplications of one call: about 5 ms on one core. */
  private static final long MULTIPLICATIONS = 1 << 28;

  /**
   * The parent of netlib's loggers, which report the loaded library at each start. This field keeps
   * it, and so its level, from garbage collection.
   */
  private static final Logger NETLIB = Logger.getLogger("dev.ludovic.netlib.blas");

  /** The binding, or null if it cannot be loaded on this system. */
  private static final @Nullable NativeBLAS BLAS = load();

  private PinnedBlas() {}

  private static @Nullable NativeBLAS load() {
    if (!OpenBlas.isThere()) {
      return null;
    }
    try (Stream<Path> files =
        Files.list(Path.of(Loader.load(openblas_nolapack.class)).resolveSibling("."))) {
      // The library that is loaded already, so that a process has one OpenBLAS.
      Path library =
          files
              .filter(file -> file.getFileName().toString().startsWith("libopenblas_nolapack."))
              .sorted()
              .findFirst()
              .orElseThrow(() -> new IOException("no OpenBLAS"));
      NETLIB.setLevel(Level.OFF);
      System.setProperty(LIBRARY_PATH, library.toString());
      return NativeBLAS.getInstance();
    } catch (IOException | RuntimeException | LinkageError e) {
      return null; // NativeMatmul needs no binding.
    }
  }

  /** Returns whether products can be computed here. */
  static boolean isThere() {
    return BLAS != null;
  }

  static void floats(float[] a, int ia, float[] b, int ib, float[] out, int io, Product p) {
    inPieces(
        p,
        (blas, rows, left, result) ->
            blas.sgemm(
                transposed(p.transposeB()),
                transposed(p.transposeA()),
                p.n(),
                rows,
                p.k(),
                1,
                b,
                ib,
                p.strideB(),
                a,
                ia + left,
                p.strideA(),
                0,
                out,
                io + result,
                p.n()));
  }

  static void doubles(double[] a, int ia, double[] b, int ib, double[] out, int io, Product p) {
    inPieces(
        p,
        (blas, rows, left, result) ->
            blas.dgemm(
                transposed(p.transposeB()),
                transposed(p.transposeA()),
                p.n(),
                rows,
                p.k(),
                1,
                b,
                ib,
                p.strideB(),
                a,
                ia + left,
                p.strideA(),
                0,
                out,
                io + result,
                p.n()));
  }

  /**
   * Computes some rows of a product, from offsets in its left matrix and its result. BLAS counts
   * columns first. Our arrays are the transposes of its matrices, so a and b swap.
   */
  private interface Piece {
    void multiply(NativeBLAS blas, int rows, int left, int result);
  }

  private static void inPieces(Product p, Piece piece) {
    NativeBLAS blas = Objects.requireNonNull(BLAS);
    int most = (int) Math.max(1, Math.min(p.m(), MULTIPLICATIONS / ((long) p.k() * p.n())));
    for (int row = 0; row < p.m(); row += most) {
      int rows = Math.min(most, p.m() - row);
      piece.multiply(blas, rows, row * (p.transposeA() ? 1 : p.k()), row * p.n());
    }
  }

  private static String transposed(boolean transposed) {
    return transposed ? "T" : "N";
  }
}
