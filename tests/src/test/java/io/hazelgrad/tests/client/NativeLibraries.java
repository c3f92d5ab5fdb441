package io.hazelgrad.tests.client;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.nd4j.linalg.factory.Nd4j;

/** Reports and uses of ND4J's native libraries in this JVM. */
final class NativeLibraries {
  private static final List<String> PARTS = List.of("nd4j", "openblas", "javacpp");

  private NativeLibraries() {}

  /** Returns the mapped native libraries of ND4J, as the system lists them. */
  static String describe() {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      List<String> found =
          maps.filter(line -> line.contains(".so"))
              .map(line -> line.substring(line.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT))
              .filter(library -> PARTS.stream().anyMatch(library::contains))
              .distinct()
              .toList();
      return found.isEmpty() ? "none" : String.join(",", found);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uses ND4J, and returns the result. */
  static String use() {
    try {
      return "made " + Nd4j.zeros(2).length();
    } catch (LinkageError e) {
      return "failed";
    }
  }

  /** Computes something here, and returns the result. */
  static String compute(String what) {
    try {
      return what + " of " + computed(what) + " elements";
    } catch (GridException e) {
      return (e.status() + ": " + e.getMessage()).replaceAll("\\s+", " ");
    } catch (LinkageError e) {
      return "linkage: " + e;
    }
  }

  private static long computed(String what) {
    return switch (what) {
      case "small" -> apply("matmul", ones(8, 8), ones(8, 8));
      case "matmul" -> apply("matmul", ones(128, 128), ones(128, 128));
      case "linear" -> apply("linear", ones(64, 128), ones(128, 128), ones(128));
      case "conv1d" -> apply("conv1d", ones(4, 16, 256), ones(32, 16, 5));
      case "conv2d" -> apply("conv2d", ones(4, 16, 32, 32), ones(32, 16, 3, 3));
      case "attention" ->
          apply("scaled_dot_product_attention", ones(128, 64), ones(128, 64), ones(128, 64));
      case "lstm" ->
          apply(
              "lstm", ones(2, 64, 128), ones(64, 64), ones(64, 64), ones(256, 128), ones(256, 64));
      case "gru" -> apply("gru", ones(2, 64, 128), ones(64, 64), ones(192, 128), ones(192, 64));
      case "array" -> Tensor.full(DType.FLOAT64, 1, 2).toArray().length();
      default -> throw new IllegalArgumentException(what);
    };
  }

  private static long apply(String operation, Variable... inputs) {
    return Variable.apply(operation, inputs).value().size();
  }

  private static Variable ones(long... shape) {
    return Variable.parameter(Tensor.full(DType.FLOAT64, 1, shape));
  }
}
