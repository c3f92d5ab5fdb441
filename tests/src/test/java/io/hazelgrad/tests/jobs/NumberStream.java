package io.hazelgrad.tests.jobs;

import com.hazelcast.jet.pipeline.SourceBuilder;
import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.io.Serializable;
import java.util.List;

/**
 * Fits a {@link Curve} with the stream 0, 1, 2, ...
 *
 * @param saving what the source saves
 */
@RemoteValue
record NumberStream(Saving saving) implements StreamProgram<Curve, Integer> {
  /** The ways to save where the source is. */
  @RemoteValue
  enum Saving {
    /** It saves a number. */
    NUMBER,
    /** It saves an object of a class that members do not read. */
    OWN_CLASS,
    /** It saves nothing. */
    NOTHING
  }

  /** A position that members do not read. */
  record Place(int next) implements Serializable {}

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
    return switch (saving) {
      case NUMBER ->
          source
              .createSnapshotFn(next -> next[0])
              .restoreSnapshotFn((next, saved) -> next[0] = saved.get(0))
              .build();
      case OWN_CLASS ->
          source
              .createSnapshotFn(next -> new Place(next[0]))
              .restoreSnapshotFn((next, saved) -> next[0] = saved.get(0).next())
              .build();
      case NOTHING -> source.build();
    };
  }
}
