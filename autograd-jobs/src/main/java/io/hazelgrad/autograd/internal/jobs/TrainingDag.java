package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.config.EdgeConfig;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.ProcessingGuarantee;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Edge;
import com.hazelcast.jet.core.Vertex;
import io.hazelgrad.autograd.jobs.StreamProgram;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import java.util.Locale;

/**
 * The graph of a training job: a source for a stream, a sequencer, and trainers. Each vertex is on
 * every member; those without a part are idle.
 */
final class TrainingDag {
  private static final int QUEUE = 16;

  private TrainingDag() {}

  static DAG of(TrainingTask task, byte[] bytes) {
    DAG dag = new DAG();
    Vertex sequencer = vertex(dag, TrainingKind.SEQUENCER, bytes);
    Vertex trainers = vertex(dag, TrainingKind.TRAINERS, bytes);
    if (task.program() instanceof StreamProgram<?, ?>) {
      // The source and the sequencer are on one member.
      dag.edge(Edge.between(vertex(dag, TrainingKind.SOURCE, bytes), sequencer));
    }
    return dag.edge(
        Edge.between(sequencer, trainers)
            .distributed()
            .broadcast()
            .setConfig(new EdgeConfig().setQueueSize(QUEUE)));
  }

  private static Vertex vertex(DAG dag, TrainingKind kind, byte[] bytes) {
    return dag.newVertex(
            kind.name().toLowerCase(Locale.ROOT), new TrainingMetaSupplier(kind, bytes))
        .localParallelism(1);
  }

  static JobConfig config(String name, TrainingOptions options) {
    return new JobConfig()
        .setName(name)
        .setProcessingGuarantee(ProcessingGuarantee.EXACTLY_ONCE)
        .setSnapshotIntervalMillis(options.snapshotEvery().toMillis())
        .setAutoScaling(true)
        .setStoreMetricsAfterJobCompletion(true);
  }
}
