package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.TensorSource;
import io.hazelgrad.grid.spi.WireInput;
import java.util.ArrayList;
import java.util.List;

/** The tensors whose elements arrive beside one message. */
final class IncomingTensors implements TensorSource {
  private final TensorRouter router;
  private final Incoming message;
  private final List<Storage> taken = new ArrayList<>(0);

  IncomingTensors(TensorRouter router, Incoming message) {
    this.router = router;
    this.message = message;
  }

  @Override
  public Storage get(DType dtype, int length, WireInput in) {
    Storage storage = router.get(dtype, length, message, this::remaining, in);
    taken.add(storage);
    return storage;
  }

  /** Returns the time until the call's end; 0 for a reply that its caller no longer awaits. */
  private long remaining() {
    Outgoing request = message.request();
    return request != null
            && request.attachment(TensorSink.class) instanceof OutgoingTensors sent
            && sent.isOver()
        ? 0
        : message.remainingNanos();
  }

  /** Releases all elements of a message that nobody will read. */
  void drop() {
    taken.forEach(Storage::release);
  }
}
