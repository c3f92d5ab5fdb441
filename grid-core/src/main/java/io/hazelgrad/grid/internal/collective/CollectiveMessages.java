package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The messages from one member of a collective to the others. */
interface CollectiveMessages {
  /** The number of rounds that still end after a failure. */
  long NO_ROUNDS = -1;

  /** Sends tensors; the future ends when the receiver has them, and fails if it has left. */
  CompletableFuture<@Nullable Void> send(Worker to, long tag, long signature, List<Tensor> tensors);

  /**
   * Tells all other members why the collective has ended here.
   *
   * @param rounds the number of rounds that still end at the others, or {@link #NO_ROUNDS}
   */
  void tellEnd(GridException why, long rounds);
}
