package io.hazelgrad.grid.internal.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.plane.transfer.PendingTransfers;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBuffer;
import io.hazelgrad.grid.internal.plane.transfer.ReceiveBufferPool;
import io.hazelgrad.grid.internal.plane.transfer.TransferTicket;
import io.hazelgrad.grid.internal.plane.transfer.WaitBudget;
import io.hazelgrad.grid.spi.ServiceCaller;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The chunks of a tensor, from the sender's transfers to the receiver's memory. */
class ChunkFetcherTest {
  private static final Worker SENDER = new Worker("sender", 1, new UUID(0, 1));
  private static final Worker RECEIVER = new Worker("receiver", 2, new UUID(0, 2));
  private static final int PER_CHUNK = PendingTransfers.CHUNK / Float.BYTES;

  private final PendingTransfers transfers = new PendingTransfers();
  private final ReceiveBufferPool pool = new ReceiveBufferPool(64 << 20);
  private final Semaphore window = new Semaphore(ChunkFetcher.WINDOW);

  /** Calls the sender's transfers, as its worker does, without a network. */
  private final class DirectCaller implements ServiceCaller {
    @Override
    @SuppressWarnings("unchecked")
    public <R> CompletableFuture<R> call(
        Worker callee, String service, List<Object> arguments, Duration timeout) {
      try {
        return CompletableFuture.completedFuture((R) transfers.fetch(arguments, RECEIVER));
      } catch (GridException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  private TransferTicket offer(Storage elements) {
    return transfers.offer(elements, RECEIVER, true);
  }

  private void fetch(TransferTicket ticket, ReceiveBuffer buffer) {
    WaitBudget budget = new WaitBudget(SENDER, () -> Long.MAX_VALUE);
    new ChunkFetcher(new DirectCaller(), ticket, buffer, budget, window).fetch(0);
  }

  @Test
  void allElementsArriveWhateverTheLength() {
    for (int length :
        new int[] {1, PER_CHUNK - 1, PER_CHUNK, PER_CHUNK + 1, 7 * PER_CHUNK, 7 * PER_CHUNK + 3}) {
      long[] values = IntStream.range(0, length).asLongStream().toArray();
      Storage sent = Tensor.wrap(values, length).to(DType.FLOAT32).storage();
      ReceiveBuffer buffer = new ReceiveBuffer(DType.FLOAT32, length, pool);

      fetch(offer(sent), buffer);

      Storage arrived = buffer.storage();
      assertThat(IntStream.range(0, length).filter(i -> arrived.getDouble(i) != i)).isEmpty();
      arrived.release();
    }
    assertThat(window.availablePermits()).isEqualTo(ChunkFetcher.WINDOW);
  }

  @Test
  void noMemoryIsAllocatedWhenSenderHasFewerElements() {
    TransferTicket small = offer(Tensor.full(DType.FLOAT32, 1, PER_CHUNK).storage());
    ReceiveBuffer announced = new ReceiveBuffer(DType.FLOAT32, 10 << 20, pool);

    assertThatExceptionOfType(GridException.class).isThrownBy(() -> fetch(small, announced));

    assertThat(pool.lentBytes()).isZero();
    assertThat(window.availablePermits()).isEqualTo(ChunkFetcher.WINDOW);
  }

  @Test
  void noMemoryIsAllocatedWhenTransferIsUnknown() {
    ReceiveBuffer announced = new ReceiveBuffer(DType.FLOAT32, 10 << 20, pool);

    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> fetch(new TransferTicket(1, 2, 3), announced));

    assertThat(pool.lentBytes()).isZero();
  }
}
