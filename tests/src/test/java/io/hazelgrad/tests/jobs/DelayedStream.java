package io.hazelgrad.tests.jobs;

import com.hazelcast.jet.pipeline.SourceBuilder;
import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.jobs.TrainingStep;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/** Fits a {@link CountedCurve} to the stream 0, 1, 2, ..., with delays in all that it does. */
@RemoteValue
record DelayedStream(int size, int batch) implements StreamProgram<CountedCurve, Integer> {
  /** More than the trainers take, so the source has always an item that it cannot send yet. */
  private static final int MOST_AT_ONCE = 701;

  @Override
  public CountedCurve model() {
    Delays.some();
    return new CountedCurve(size);
  }

  @Override
  public LocalOptimizer optimizer(CountedCurve model) {
    return model.optimizer(batch);
  }

  @Override
  public Variable loss(CountedCurve model, List<Integer> numbers) {
    Delays.some();
    return model.loss(numbers);
  }

  @Override
  public void afterStep(TrainingStep step, LocalOptimizer optimizer) {
    Delays.some();
  }

  @Override
  public StreamSource<Integer> rows() {
    int all = size; // The functions must not hold this program, which has no Java serialization.
    return SourceBuilder.stream("numbers", context -> new int[1])
        .<Integer>fillBufferFn(
            (next, buffer) -> {
              Delays.some();
              for (int i = 0; i < MOST_AT_ONCE && next[0] < all; i++) {
                buffer.add(next[0]++);
              }
            })
        .createSnapshotFn(
            next -> {
              Delays.some();
              return next[0];
            })
        .restoreSnapshotFn(
            (next, saved) -> {
              Delays.some();
              next[0] = saved.get(0);
            })
        .build();
  }
}
