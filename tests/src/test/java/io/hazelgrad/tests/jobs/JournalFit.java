package io.hazelgrad.tests.jobs;

import com.hazelcast.jet.pipeline.JournalInitialPosition;
import com.hazelcast.jet.pipeline.Sources;
import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/** Fits a {@link Curve} with the values that were put into a map, as its journal tells them. */
@RemoteValue
record JournalFit(String map) implements StreamProgram<Curve, Map.Entry<Integer, Integer>> {
  @Override
  public Curve model() {
    return new Curve();
  }

  @Override
  public LocalOptimizer optimizer(Curve model) {
    return LocalOptimizer.of(Adam.defaults(), model.parameters());
  }

  @Override
  public Variable loss(Curve model, List<Map.Entry<Integer, Integer>> rows) {
    return model.loss(rows.stream().map(Map.Entry::getValue).toList());
  }

  @Override
  public StreamSource<Map.Entry<Integer, Integer>> rows() {
    return Sources.mapJournal(map, JournalInitialPosition.START_FROM_OLDEST);
  }
}
