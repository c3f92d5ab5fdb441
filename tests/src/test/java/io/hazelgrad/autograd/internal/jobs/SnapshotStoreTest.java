package io.hazelgrad.autograd.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.training.OptimizerState;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The snapshots of trainings in the memory of two members. */
final class SnapshotStoreTest {
  private static final String JOB = "fit";
  private static final int SNAPSHOTS = 500;

  private static final int FEW = 10;

  /** The elements of a state that has three pieces. */
  private static final int MANY = 600_000;

  private static InProcessGrids grids;
  private final SnapshotStore writer = store("a");
  private final SnapshotStore reader = store("b");

  @BeforeAll
  static void start() {
    grids = InProcessGrids.join("a", "b");
  }

  @AfterAll
  static void stop() {
    grids.close();
  }

  @AfterEach
  void delete() {
    writer.delete(JOB);
    assertThat(map().keySet()).isEmpty();
  }

  private static SnapshotStore store(String worker) {
    return ((TrainingService) TrainingJobs.on(grids.grid(worker))).snapshots();
  }

  private static IMap<String, Object> map() {
    return grids.grid("a").hazelcast().getMap("hazelgrad.training-snapshots");
  }

  /** Returns a state all of whose elements are its step. */
  private static TrainingState state(long step, int elements) {
    return new TrainingState(
        step,
        Map.of("weight", Tensor.full(DType.FLOAT32, (double) step, elements)),
        List.of("weight"),
        new OptimizerState(List.of(), 0),
        TrainingState.Journal.empty());
  }

  @Test
  void snapshotIsReadWholeWhileLaterOnesAreWritten() throws Exception {
    writer.write(JOB, state(0, FEW), null);
    CompletableFuture<Void> writes =
        CompletableFuture.runAsync(
            () -> {
              for (int step = 1; step <= SNAPSHOTS; step++) {
                writer.write(JOB, state(step, FEW), null);
              }
            });
    try {
      long last = 0;
      while (!writes.isDone()) {
        TrainingState seen = reader.state(JOB);
        assertThat(seen.step()).isGreaterThanOrEqualTo(last);
        last = seen.step();
        assertThat(seen.model().get("weight"))
            .isEqualTo(Tensor.full(DType.FLOAT32, (double) last, FEW));
      }
    } finally {
      writes.get(1, TimeUnit.MINUTES);
    }
    assertThat(reader.state(JOB).step()).isEqualTo(SNAPSHOTS);
  }

  @Test
  void lostPieceIsNamed() {
    writer.write(JOB, state(7, MANY), null);
    map().delete(JOB + "/0/1");
    assertThatThrownBy(() -> reader.state(JOB))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("the snapshot of training job fit lacks fit/0/1 of its 3 pieces");
  }
}
