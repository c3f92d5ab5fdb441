package io.hazelgrad.tests.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Prints the share of a step in which a stage is idle. The stages pause in place of computing, so
 * that the number of cores does not matter.
 */
@Tag("slow")
class PipelineIdleTimeTest {
  private static final int MICROS = 8;
  private static final int WARM_UP = 300;
  private static final int STEPS = 11;
  private static final long PASS_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  @SuppressWarnings("NullAway.Init")
  private static TestStages workers;

  @BeforeAll
  static void start() {
    workers = new TestStages("A", "B", "C", "D");
  }

  @AfterEach
  void closePipeline() {
    workers.closePipeline();
  }

  @AfterAll
  static void stop() {
    workers.close();
  }

  /** A stage that adds a number, and takes 20 ms for it in each direction after the warm-up. */
  private static final class Pausing extends Module<Variable, Variable> {
    private final Variable bias = parameter("bias", Tensor.zeros(DType.FLOAT32, 1));
    private volatile long nanos;

    @Override
    public Variable forward(Variable input) {
      pause();
      Variable output = input.add(bias);
      var unused =
          output.hook(
              gradient -> {
                pause();
                return gradient;
              });
      return output;
    }

    private void pause() {
      long end = System.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, GPIPE", "2, ONE_FORWARD_ONE_BACKWARD", "4, GPIPE", "4, ONE_FORWARD_ONE_BACKWARD"})
  void stagesAreIdleWhileThePipelineFillsAndDrains(int stages, PipelineSchedule schedule) {
    List<Pausing> modules = IntStream.range(0, stages).mapToObj(i -> new Pausing()).toList();
    List<Pipeline> pipeline = workers.pipeline(modules, MICROS, schedule);
    List<Tensor> ones = Collections.nCopies(MICROS, Tensor.full(DType.FLOAT32, 1, 4, 4));
    long[] nanos = new long[WARM_UP + STEPS];
    for (int i = 0; i < nanos.length; i++) {
      if (i == WARM_UP) {
        modules.forEach(each -> each.nanos = PASS_NANOS);
      }
      long start = System.nanoTime();
      assertThat(Rpc.awaitAll(TestStages.step(pipeline, ones, (micro, y) -> y.mean())))
          .containsOnly(1.0);
      nanos[i] = System.nanoTime() - start;
    }
    long[] sorted = LongStream.of(nanos).skip(WARM_UP).sorted().toArray();
    System.out.printf(
        "%d stages, %d micro-batches, %s: the fastest of %d steps takes %s, the median %s;"
            + " in theory idle %.3f%n",
        stages,
        MICROS,
        schedule,
        STEPS,
        idle(sorted[0]),
        idle(sorted[STEPS / 2]),
        (stages - 1) / (MICROS + stages - 1.0));
  }

  private static String idle(long nanos) {
    double share = 1 - (double) (MICROS * 2 * PASS_NANOS) / nanos;
    return "%.1f ms (idle %.3f)".formatted(nanos / 1e6, share);
  }
}
