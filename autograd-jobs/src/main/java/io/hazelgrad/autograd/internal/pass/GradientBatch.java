package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gradients as the arguments or the result of a call: a head of bytes that describes them, then the
 * tensors, which travel as the tensors of any call. The rest of the head is read first.
 */
public record GradientBatch(WireInput head, Iterator<?> tensors) {
  /** Appends gradients to a head; returns the values to send. */
  public static List<@Nullable Object> write(WireOutput head, List<GradientMessage> messages) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(null); // For the head.
    head.varint(messages.size());
    for (GradientMessage message : messages) {
      message.message().write(head);
      head.varint(message.gradients().size());
      for (Tensor each : message.gradients()) {
        head.bool(each != null);
        if (each != null) {
          values.add(each);
        }
      }
    }
    values.set(0, head.toBytes());
    return values;
  }

  /** Begins to read a batch; BAD_VALUE if the values are none. */
  public static GradientBatch read(@Nullable Object values) {
    if (values instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof byte[] head) {
      return new GradientBatch(new WireInput(head), list.subList(1, list.size()).iterator());
    }
    throw new GridException(Status.BAD_VALUE, "no batch of gradients: " + values);
  }

  /** Reads the gradients, which end the batch. */
  public List<GradientMessage> gradients() {
    List<GradientMessage> messages = new ArrayList<>();
    for (int count = head.count(3); count > 0; count--) {
      MessageId id = MessageId.read(head);
      List<@Nullable Tensor> gradients = new ArrayList<>();
      for (int slots = head.count(1); slots > 0; slots--) {
        gradients.add(head.bool() ? tensor() : null);
      }
      messages.add(new GradientMessage(id, gradients));
    }
    head.end();
    return messages;
  }

  private Tensor tensor() {
    if (tensors.hasNext() && tensors.next() instanceof Tensor tensor) {
      return tensor;
    }
    throw head.damaged("a tensor is missing");
  }
}
