package io.hazelgrad.grid.internal.plane.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies of large tensors, with helpers that come, come late, or do not come. */
class ParallelCopierTest {
  private static final int GUARD = 64;

  /** Elements that do not fill the last piece, each other than those near it. */
  private static Storage elements(DType dtype) {
    int bytes = ParallelCopier.MIN_BYTES + 3 * ParallelCopier.PIECE_BYTES / 2 + 40;
    byte[] raw = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      raw[i] = dtype == DType.BOOL ? (byte) (i % 3 & 1) : (byte) (i * 31 + (i >> 8) * 7);
    }
    return TensorBytes.copied(dtype, ByteBuffer.wrap(raw));
  }

  private static byte[] plain(Storage elements) {
    byte[] bytes = new byte[elements.length() * elements.dtype().bytes()];
    elements.copyTo(ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static void assertCopies(ParallelCopier copier, Storage elements) {
    byte[] expected = plain(elements);
    ByteBuffer target = ByteBuffer.allocateDirect(expected.length + GUARD);

    copier.copy(elements, target);

    byte[] copied = new byte[expected.length];
    target.get(0, copied);
    assertThat(copied).isEqualTo(expected);
    for (int i = expected.length; i < target.capacity(); i++) {
      assertThat(target.get(i)).as("what lies behind").isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void elementsOfEveryTypeAreCopiedBySeveralThreads(DType dtype) throws InterruptedException {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      assertCopies(new ParallelCopier(threads, 4), elements(dtype));
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void elementsAreCopiedOutOfSharedMemory() {
    byte[] raw = plain(elements(DType.FLOAT32));
    ByteBuffer memory = ByteBuffer.allocateDirect(raw.length).put(raw).flip();

    assertCopies(
        new ParallelCopier(Runnable::run, 2), TensorBytes.lent(DType.FLOAT32, memory, () -> {}));
  }

  @Test
  void smallTensorsAreCopiedWithoutHelpers() {
    Executor nobody =
        work -> {
          throw new AssertionError("asked for help");
        };

    assertCopies(new ParallelCopier(nobody, 2), Tensor.full(DType.FLOAT32, 3, 1000).storage());
    assertCopies(new ParallelCopier(nobody, 1), elements(DType.FLOAT32));
  }

  @Test
  void copyDoesNotWaitForAbsentHelper() {
    List<Runnable> late = new ArrayList<>();
    Storage elements = elements(DType.INT16);

    assertCopies(new ParallelCopier(late::add, 3), elements);

    assertThat(late).hasSize(2);
    late.forEach(Runnable::run); // And finds nothing to do.
  }

  @Test
  void copyRunsAloneWhileGridCloses() {
    Executor closed =
        work -> {
          throw new RejectedExecutionException("closed");
        };

    assertCopies(new ParallelCopier(closed, 2), elements(DType.FLOAT64));
  }

  @Test
  void copyFailsWithErrorOfHelper() {
    ByteBuffer memory = ByteBuffer.allocateDirect(ParallelCopier.MIN_BYTES);
    Storage released = TensorBytes.lent(DType.FLOAT32, memory, () -> {});
    released.release();
    ByteBuffer target = ByteBuffer.allocateDirect(ParallelCopier.MIN_BYTES);

    assertThatIllegalStateException()
        .isThrownBy(() -> new ParallelCopier(Runnable::run, 2).copy(released, target))
        .withMessageContaining("release()");
  }
}
