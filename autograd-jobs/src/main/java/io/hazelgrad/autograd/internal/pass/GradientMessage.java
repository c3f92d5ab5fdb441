package io.hazelgrad.autograd.internal.pass;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The gradients of one message: one slot for each of its tensors that need gradients, empty if no
 * gradient flows. A message without any gradient travels too, because its taker counts messages.
 * Gradients travel on the CPU: the taker knows its devices. Threads: immutable once made.
 */
public final class GradientMessage implements IdentifiedDataSerializable {
  /** The number of the factory that creates the objects of passes for Hazelcast. */
  public static final int FACTORY_ID = 7003;

  public static final int CLASS_ID = 1;

  private MessageId message = new MessageId(0, 0);
  private List<@Nullable Tensor> gradients = List.of();

  /** Creates an empty message, for {@link #readData}. */
  public GradientMessage() {}

  /** Creates the gradients of a message; null where there is none. */
  public GradientMessage(MessageId message, List<? extends @Nullable Tensor> gradients) {
    this.message = message;
    List<@Nullable Tensor> moved = new ArrayList<>(gradients.size());
    for (Tensor each : gradients) {
      moved.add(each == null ? null : each.to(Device.CPU));
    }
    this.gradients = Collections.unmodifiableList(moved);
  }

  /** Creates the gradients of a message with {@code tensors} tensors, all empty. */
  public static GradientMessage empty(MessageId message, int tensors) {
    return new GradientMessage(message, Collections.nCopies(tensors, (@Nullable Tensor) null));
  }

  public MessageId message() {
    return message;
  }

  /** Returns the gradient of each tensor of the message, or null. */
  public List<@Nullable Tensor> gradients() {
    return gradients;
  }

  /** Returns the bytes of the elements of all gradients. */
  public long bytes() {
    long bytes = 0;
    for (Tensor each : gradients) {
      bytes += each == null ? 0 : (long) each.size() * each.dtype().bytes();
    }
    return bytes;
  }

  @Override
  public int getFactoryId() {
    return FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return CLASS_ID;
  }

  @Override
  public void writeData(ObjectDataOutput target) throws IOException {
    int capacity = 32;
    BitSet present = new BitSet();
    for (int i = 0; i < gradients.size(); i++) {
      Tensor each = gradients.get(i);
      if (each != null) {
        present.set(i);
        capacity += 64 + each.size() * each.dtype().bytes();
      }
    }
    WireOutput out = new WireOutput(Math.max(32, capacity));
    message.write(out);
    out.varint(gradients.size());
    byte[] bitmap = Arrays.copyOf(present.toByteArray(), (gradients.size() + 7) / 8);
    for (byte bits : bitmap) {
      out.int8(bits);
    }
    for (Tensor each : gradients) {
      if (each != null) {
        out.tensor(each);
      }
    }
    target.writeByteArray(out.toBytes());
  }

  @Override
  public void readData(ObjectDataInput source) throws IOException {
    WireInput in = new WireInput(Objects.requireNonNull(source.readByteArray()));
    message = MessageId.read(in);
    long size = in.varint();
    if (size < 0 || size > 8L * in.remaining()) {
      throw in.damaged(size + " gradients");
    }
    byte[] bitmap = new byte[(int) ((size + 7) / 8)];
    for (int i = 0; i < bitmap.length; i++) {
      bitmap[i] = in.int8();
    }
    BitSet present = BitSet.valueOf(bitmap);
    List<@Nullable Tensor> read = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      read.add(present.get(i) ? in.tensor() : null);
    }
    in.end();
    gradients = Collections.unmodifiableList(read);
  }

  @Override
  public String toString() {
    long present = gradients.stream().filter(Objects::nonNull).count();
    return "gradients of " + message + " (" + present + " of " + gradients.size() + ")";
  }
}
