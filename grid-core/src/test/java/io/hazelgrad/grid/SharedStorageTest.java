package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SharedStorageTest {
  private final AtomicInteger given = new AtomicInteger();

  private Tensor lent(Tensor original) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(original.size() * original.dtype().bytes());
    original.storage().copyTo(bytes);
    bytes.flip();
    Storage storage = TensorBytes.lent(original.dtype(), bytes, given::incrementAndGet);
    return TensorBytes.over(storage, original.shape());
  }

  @ParameterizedTest
  @EnumSource
  void elementsReadLikeJavaArrayForEveryType(DType dtype) {
    Tensor heap = Tensor.of(new double[] {0, 1, 1, 0, 1, 0}, 2, 3).to(dtype);

    Tensor tensor = lent(heap);

    for (int i = 0; i < heap.size(); i++) {
      assertThat(tensor.storage().getDouble(i)).isEqualTo(heap.storage().getDouble(i));
      assertThat(tensor.storage().getLong(i)).isEqualTo(heap.storage().getLong(i));
    }
    assertThat(tensor.storage().toArray()).isEqualTo(heap.storage().toArray());
    assertThat(tensor.toDoubles()).isEqualTo(heap.toDoubles());
    assertThat(tensor.toFloats()).isEqualTo(heap.toFloats());
    assertThat(tensor.toLongs()).isEqualTo(heap.toLongs());
    assertThat(tensor.toString()).isEqualTo(heap.toString());
    assertThat(Tensor.of(tensor.toArray())).isEqualTo(heap);
    boolean same =
        tensor.storage().borrow(lent -> heap.storage().borrow(kept -> kept.equals(lent)));
    assertThat(same).isTrue();
    assertThat(given).hasValue(0);
    assertThat(tensor).isEqualTo(heap).hasSameHashCodeAs(heap);
    assertThat(given).as("equality made a copy, so the memory is not needed").hasValue(1);
    assertThat(tensor.storage().getDouble(1)).isEqualTo(1);
  }

  @Test
  void memoryIsReleasedAfterSendingWhenAsked() {
    Tensor tensor = lent(Tensor.of(new float[] {1, 2}, 2));
    assertThat(tensor.storage().isReleasedWhenSent()).isFalse();
    assertThat(tensor.releaseWhenSent()).isSameAs(tensor);
    assertThat(tensor.storage().isReleasedWhenSent()).isTrue();
    assertThat(given).as("not before it was sent").hasValue(0);
    assertThat(tensor.storage().array()).isEqualTo(new float[] {1, 2});
    assertThat(tensor.storage().isReleasedWhenSent()).as("a copy is ours").isFalse();
    Tensor heap = Tensor.of(new float[] {1}, 1).releaseWhenSent();
    assertThat(heap.storage().isReleasedWhenSent()).isFalse();
  }

  @Test
  void partsAreCopiedBothWays() {
    Tensor heap = Tensor.of(new float[] {1, 2, 3, 4, 5}, 5);
    Tensor tensor = lent(heap);
    TensorBytes.Pieces pieces = TensorBytes.pieces(DType.FLOAT32, 5);
    for (int[] part : new int[][] {{3, 2}, {0, 3}}) {
      ByteBuffer bytes = ByteBuffer.allocate(4 * part[1]).order(ByteOrder.BIG_ENDIAN);
      tensor.storage().copyTo(part[0], part[1], bytes);
      pieces.put(part[0], bytes.flip());
    }
    assertThat(TensorBytes.over(pieces.storage(), 5)).isEqualTo(heap);
  }

  @Test
  void memoryIsReleasedOnceAndLaterUseFails() {
    Tensor tensor = lent(Tensor.of(new float[] {1, 2}, 2));
    Tensor reshaped = tensor.reshape(1, 2);

    tensor.release();
    tensor.release();

    assertThat(given).hasValue(1);
    for (Tensor each : List.of(tensor, reshaped)) {
      assertThatIllegalStateException()
          .isThrownBy(each::toFloats)
          .withMessageContaining("2 elements of FLOAT32 is used after release()");
      assertThatIllegalStateException().isThrownBy(() -> each.storage().getDouble(0));
      assertThatIllegalStateException().isThrownBy(() -> each.storage().array());
    }
  }

  @Test
  void copyOutlivesMemory() {
    Tensor tensor = lent(Tensor.of(new long[] {7, 8}, 2));
    Object array = tensor.storage().array();
    tensor.release();
    assertThat(given).hasValue(1);
    assertThat(tensor.storage().array()).isSameAs(array);
    assertThat(tensor.toLongs()).containsExactly(7, 8);
  }

  @Test
  void memoryIsReleasedAfterReadWhenInUse() throws Exception {
    Tensor tensor = lent(Tensor.of(new float[] {1, 2}, 2));
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    CompletableFuture<Float> reader =
        CompletableFuture.supplyAsync(
            () ->
                tensor
                    .storage()
                    .borrow(
                        view -> {
                          reading.countDown();
                          await(released);
                          return ((FloatBuffer) view).get(1);
                        }),
            task -> new Thread(task).start());
    await(reading);

    tensor.release();

    assertThat(given).hasValue(0);
    released.countDown();
    assertThat(reader.get(10, TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(given).hasValue(1);
  }

  @Test
  void retainedMemoryIsReleasedAfterBothReleases() {
    for (boolean holderFirst : new boolean[] {true, false}) {
      given.set(0);
      Tensor tensor = lent(Tensor.of(new float[] {1, 2}, 2));
      Storage retained = TensorBytes.retained(tensor.storage());
      Tensor forSending = TensorBytes.over(retained, 2);

      (holderFirst ? tensor : forSending).release();

      assertThat(given).hasValue(0);
      Tensor other = holderFirst ? forSending : tensor;
      ByteBuffer bytes = ByteBuffer.allocate(8);
      other.storage().copyTo(0, 2, bytes);
      assertThat(bytes.order(ByteOrder.LITTLE_ENDIAN).getFloat(4)).isEqualTo(2);
      other.release();
      other.release();
      assertThat(given).hasValue(1);
    }
  }

  @Test
  void retainHasNoEffectOnHeap() {
    Storage heap = Tensor.of(new float[] {1, 2}, 2).storage();
    assertThat(TensorBytes.retained(heap)).isSameAs(heap);
    Tensor copied = lent(Tensor.of(new float[] {1, 2}, 2));
    Object array = copied.storage().array();
    assertThat(TensorBytes.retained(copied.storage()).array()).isSameAs(array);
    copied.release();
    assertThat(given).hasValue(1);
  }

  @Test
  void viewsAreReadOnly() {
    for (Tensor tensor :
        List.of(lent(Tensor.of(new float[] {1}, 1)), Tensor.of(new float[] {1}, 1))) {
      Assertions.assertThatExceptionOfType(ReadOnlyBufferException.class)
          .isThrownBy(() -> tensor.storage().borrow(view -> ((FloatBuffer) view).put(0, 5)));
    }
  }

  @Test
  void memoryIsReleasedWhenUnreachable() {
    for (int i = 0; i < 10; i++) {
      assertThat(lent(Tensor.of(new float[] {1, 2}, 2)).size()).isEqualTo(2);
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (given.get() < 10 && System.nanoTime() < deadline) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(given).hasValue(10);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
