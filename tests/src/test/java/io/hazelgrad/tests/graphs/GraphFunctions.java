package io.hazelgrad.tests.graphs;

import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Functions that the tests of graphs call on workers. */
@RemoteFunctions
final class GraphFunctions {
  private static final int AT_ONCE = 64;

  private GraphFunctions() {}

  /** Calls a graph several times; returns the smallest and the greatest result. */
  static double[] call(String to, String graph, int times) {
    Grid grid = Grid.current();
    Function<Tensor> function = Function.graph(graph);
    Tensor x = Tensor.full(DType.FLOAT32, 1, 2, 3);
    double[] range = {Double.MAX_VALUE, -Double.MAX_VALUE};
    for (int done = 0; done < times; done += AT_ONCE) {
      List<CompletableFuture<Tensor>> calls = new ArrayList<>();
      for (int i = 0; i < Math.min(AT_ONCE, times - done); i++) {
        calls.add(grid.rpc().async(to, function, x));
      }
      for (CompletableFuture<Tensor> call : calls) {
        double y = call.join().toDoubles()[0];
        range[0] = Math.min(range[0], y);
        range[1] = Math.max(range[1], y);
      }
    }
    return range;
  }

  static Map<String, Long> loaded() {
    return Graphs.of(Grid.current()).loaded();
  }

  /** Returns the resident memory of the process in KiB, after a garbage collection. */
  static long residentKib() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no VmRSS");
  }
}
