package io.hazelgrad.autograd.internal.backend;

import dev.ludovic.netlib.blas.NativeBLAS;
import io.hazelgrad.autograd.internal.backend.Kernels.Product;
import java.io.IOException;
import java.lang.management.ManagementFactory;
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
 * <p>Before Java 22 no garbage collection can begin while an array is pinned. So one call computes
 * a piece that takes a few milliseconds, and a large product takes several calls. Since then G1
 * collects around pinned arrays (JEP 423), and a product takes one call.
 */
final class PinnedBlas {
  private static final String LIBRARY_PATH = "dev.ludovic.netlib.blas.nativeLibPath";

  /** The multiplications of one call where it delays collections: 5 to 10 ms on one core. */
  private static final long MULTIPLICATIONS = 1 << 29;

  /** OpenBLAS is slow with fewer rows than these, and with fewer columns. */
  private static final int ENOUGH_ROWS = 512;

  private static final int ENOUGH_COLUMNS = 256;
  private static final int G1_PINS_REGIONS = 22;
  private static final boolean DELAYS_COLLECTIONS =
      Runtime.version().feature() < G1_PINS_REGIONS
          || ManagementFactory.getGarbageCollectorMXBeans().stream()
              .noneMatch(collector -> collector.getName().startsWith("G1"));

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

  /** Adds a product to what {@code out} has. With nothing there this saves a pass over it. */
  static void floats(float[] a, int ia, float[] b, int ib, float[] out, int io, Product p) {
    inPieces(
        p,
        (blas, rows, columns, left, right, result) ->
            blas.sgemm(
                transposed(p.transposeB()),
                transposed(p.transposeA()),
                columns,
                rows,
                p.k(),
                1,
                b,
                ib + right,
                p.strideB(),
                a,
                ia + left,
                p.strideA(),
                1,
                out,
                io + result,
                p.strideOut()));
  }

  /** Adds a product to what {@code out} has. */
  static void doubles(double[] a, int ia, double[] b, int ib, double[] out, int io, Product p) {
    inPieces(
        p,
        (blas, rows, columns, left, right, result) ->
            blas.dgemm(
                transposed(p.transposeB()),
                transposed(p.transposeA()),
                columns,
                rows,
                p.k(),
                1,
                b,
                ib + right,
                p.strideB(),
                a,
                ia + left,
                p.strideA(),
                1,
                out,
                io + result,
                p.strideOut()));
  }

  /**
   * Computes some rows and columns of a product, from offsets in its matrices. BLAS counts columns
   * first. Our arrays are the transposes of its matrices, so a and b swap.
   */
  private interface Piece {
    void multiply(NativeBLAS blas, int rows, int columns, int left, int right, int result);
  }

  private static void inPieces(Product p, Piece piece) {
    NativeBLAS blas = Objects.requireNonNull(BLAS);
    long most = DELAYS_COLLECTIONS ? MULTIPLICATIONS : Long.MAX_VALUE;
    int columnsAtOnce = p.n();
    int rowsAtOnce = atMost(p.m(), most / p.k() / columnsAtOnce);
    int enough = Math.min(p.m(), ENOUGH_ROWS);
    if (rowsAtOnce < enough) {
      columnsAtOnce = atMost(p.n(), Math.max(ENOUGH_COLUMNS, most / p.k() / enough));
      rowsAtOnce = atMost(p.m(), most / p.k() / columnsAtOnce);
    }
    for (int row = 0; row < p.m(); row += rowsAtOnce) {
      int rows = Math.min(rowsAtOnce, p.m() - row);
      for (int column = 0; column < p.n(); column += columnsAtOnce) {
        piece.multiply(
            blas,
            rows,
            Math.min(columnsAtOnce, p.n() - column),
            row * (p.transposeA() ? 1 : p.strideA()),
            column * (p.transposeB() ? p.strideB() : 1),
            row * p.strideOut() + column);
      }
    }
  }

  private static int atMost(int all, long some) {
    return (int) Math.max(1, Math.min(all, some));
  }

  private static String transposed(boolean transposed) {
    return transposed ? "T" : "N";
  }
}
