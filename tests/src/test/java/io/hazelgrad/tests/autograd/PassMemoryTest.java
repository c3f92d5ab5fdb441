package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Test of the memory of workers after many passes. Of every ten passes, eight have a context of
 * their own, one retains its graph and is repeated, and one fails.
 */
@RemoteFunctions
@ExtendWith(Leftovers.class)
@Tag("slow")
class PassMemoryTest {
  private static final long MIB = 1 << 20;

  /** Bytes that the compiler, classes and thread stacks may still add once the workers are warm. */
  private static final long RESIDENT_GROWTH = 48 * MIB;

  private static final long HEAP_GROWTH = 4 * MIB;

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    // The whole heap is resident from the beginning, so growth is outside the heap.
    List<String> options = new ArrayList<>(List.of("-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch"));
    if (Boolean.getBoolean("hazelgrad.tests.full")) { // The many passes need the second compiler.
      options.add("-XX:TieredStopAtLevel=4");
    }
    cluster = JvmCluster.workers("B", "C").jvmOptions(options.toArray(String[]::new)).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Returns the bytes of live objects on the called worker. */
  static long liveHeap() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  /** Returns the bytes of resident memory of the called worker's process. */
  static long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("/proc/self/status has no VmRSS");
  }

  private static long ask(String worker, Function.F0<Long> what) {
    return cluster.grid().rpc().sync(worker, what);
  }

  private static Tensor fail(Tensor gradient) {
    throw new IllegalStateException("fails after all others have done their part: " + gradient);
  }

  /** Runs passes until this number of them has succeeded. */
  private static void run(int passes) {
    Grid grid = cluster.grid();
    Autograd autograd = Autograd.on(grid);
    double[] expected = null;
    for (int i = 0; i < passes; i++) {
      Variable x = input(1);
      try (Context context = autograd.open()) {
        Variable loss = grid.rpc().sync("B", GradientFunctions::hop, List.of("C"), x).sum();
        if (i % 10 == 8) {
          context.backward(true, loss);
        } else if (i % 10 == 9) {
          try (Variable.Hook failing = x.hook(PassMemoryTest::fail)) {
            assertThat(failing).isNotNull();
            assertThatThrownBy(() -> context.backward(loss)).isInstanceOf(GridException.class);
          }
        }
        context.backward(loss);
        double[] gradient = doubles(context.gradient(x));
        assertThat(gradient).hasSize(6);
        if (i % 10 != 8) {
          expected = expected == null ? gradient : expected;
          assertThat(gradient).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void heapIsUnchangedAfterHundredsOfPasses() {
    run(300);
    long[] before = {ask("B", PassMemoryTest::liveHeap), ask("C", PassMemoryTest::liveHeap)};
    run(600);
    assertThat(ask("B", PassMemoryTest::liveHeap) - before[0]).as("B").isLessThan(HEAP_GROWTH);
    assertThat(ask("C", PassMemoryTest::liveHeap) - before[1]).as("C").isLessThan(HEAP_GROWTH);
  }

  @Test
  void residentMemoryIsUnchangedAfterTenThousandPasses() {
    run(2_000);
    long[] heap = {ask("B", PassMemoryTest::liveHeap), ask("C", PassMemoryTest::liveHeap)};
    long[] before = {ask("B", PassMemoryTest::resident), ask("C", PassMemoryTest::resident)};
    run(10_000);
    long[] after = {ask("B", PassMemoryTest::resident), ask("C", PassMemoryTest::resident)};
    for (int i = 0; i < 2; i++) {
      String worker = i == 0 ? "B" : "C";
      long live = ask(worker, PassMemoryTest::liveHeap);
      System.out.printf(
          "%s after 10,000 passes: live heap %.1f MiB, %+.1f; resident %.1f MiB, %+.1f%n",
          worker,
          live / (double) MIB,
          (live - heap[i]) / (double) MIB,
          after[i] / (double) MIB,
          (after[i] - before[i]) / (double) MIB);
      assertThat(live - heap[i]).as("live heap of %s", worker).isLessThan(HEAP_GROWTH);
      assertThat(after[i] - before[i]).as("resident, %s", worker).isLessThan(RESIDENT_GROWTH);
    }
  }
}
