package io.hazelgrad.autograd.jobs;

import com.hazelcast.jet.pipeline.StreamSource;
import io.hazelgrad.autograd.nn.Module;

/**
 * A training program with a stream of rows, such as a map's journal, Kafka, or a source made by
 * Jet's SourceBuilder with snapshot functions. Each {@code batch} rows in their order are a step.
 *
 * @param <M> the model
 * @param <R> a row of the data, which Hazelcast can serialize
 */
public non-sealed interface StreamProgram<M extends Module<?, ?>, R> extends TrainingProgram<M, R> {
  /**
   * Makes the source. The member of the first trainer makes and reads it, so code on the class path
   * makes it and nothing of it travels. Its snapshots must say where it goes on: the job fails if
   * the source sends rows and saves nothing.
   */
  StreamSource<R> rows();
}
