package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.config.EdgeConfig;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Edge;
import com.hazelcast.jet.core.Vertex;
import io.hazelgrad.autograd.internal.jobs.lifecycle.Resumer;
import io.hazelgrad.autograd.jobs.StreamProgram;
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

  /**
   * Returns the configuration. Jet takes no snapshots: it would restore them over edges with
   * lambdas, which the members' filters refuse. After a loss it suspends the job, and {@link
   * Resumer} has it go on.
   */
  static JobConfig config(String name) {
    return new JobConfig()
        .setName(name)
        .setAutoScaling(false)
        .setSuspendOnFailure(true)
        .setStoreMetricsAfterJobCompletion(true);
  }
}
