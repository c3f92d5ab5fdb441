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

/** The tensors that arrive beside one message. */
public final class IncomingTensors implements TensorSource {
  private final TensorRouter plane;
  private final Incoming message;
  private final List<Storage> taken = new ArrayList<>(0);

  public IncomingTensors(TensorRouter plane, Incoming message) {
    this.plane = plane;
    this.message = message;
  }

  @Override
  public Storage get(DType dtype, int length, WireInput in) {
    Storage storage = plane.get(dtype, length, message, this::remaining, in);
    taken.add(storage);
    return storage;
  }

  /** Returns the time until the call's end; for a reply, whether the caller still waits for it. */
  private long remaining() {
    Outgoing request = message.request();
    return request != null
            && request.attachment(TensorSink.class) instanceof OutgoingTensors departure
            && departure.isOver()
        ? 0
        : message.remainingNanos();
  }

  /** Nobody has seen the values of the message, nor will. */
  public void drop() {
    taken.forEach(Storage::release);
  }
}
