package io.hazelgrad.tests.jobs;

import com.hazelcast.jet.pipeline.SourceBuilder;
import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * Fits a {@link Curve} with the stream 0, 1, 2, ...
 *
 * @param isReplayable whether the source saves where it is
 */
@RemoteValue
record NumberStream(boolean isReplayable) implements StreamProgram<Curve, Integer> {
  @Override
  public Curve model() {
    return new Curve();
  }

  @Override
  public LocalOptimizer optimizer(Curve model) {
    return LocalOptimizer.of(Adam.defaults(), model.parameters());
  }

  @Override
  public Variable loss(Curve model, List<Integer> numbers) {
    Pace.keep();
    return model.loss(numbers);
  }

  @Override
  public StreamSource<Integer> rows() {
    var source =
        SourceBuilder.stream("numbers", context -> new int[1])
            .<Integer>fillBufferFn(
                (next, buffer) -> {
                  for (int i = 0; i < 16; i++) {
                    buffer.add(next[0]++);
                  }
                });
    return isReplayable
        ? source
            .createSnapshotFn(next -> next[0])
            .restoreSnapshotFn((next, saved) -> next[0] = saved.get(0))
            .build()
        : source.build();
  }
}
