package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The planner's view of a message. It is fixed when the message is sent, hence the same everywhere.
 *
 * @param tensors the number of its tensors that need gradients
 * @param below the received messages of the sender that the sent tensors depend on, each once, in
 *     an order that only the graph decides
 */
public record MessageDescriptor(MessageId id, long receiver, int tensors, List<MessageId> below) {
  /** Copies the list and checks the numbers. */
  public MessageDescriptor {
    below = List.copyOf(below);
    if (tensors < 1) {
      throw new IllegalArgumentException("message " + id + " has tensors=" + tensors);
    }
  }

  public long sender() {
    return id.worker();
  }

  /**
   * Writes descriptors for a message to carry. Ids of workers are long and few, so each is written
   * once and then named by its place: a descriptor with one message below takes about 8 bytes.
   */
  public static void writeAll(List<MessageDescriptor> descriptors, WireOutput out) {
    Map<Long, Integer> places = new LinkedHashMap<>();
    for (MessageDescriptor each : descriptors) {
      places.putIfAbsent(each.sender(), places.size());
      places.putIfAbsent(each.receiver, places.size());
      for (MessageId id : each.below) {
        places.putIfAbsent(id.worker(), places.size());
      }
    }
    out.varint(places.size());
    places.keySet().forEach(out::varint);
    out.varint(descriptors.size());
    for (MessageDescriptor each : descriptors) {
      out.varint(place(places, each.sender())).varint(each.id.sequence());
      out.varint(place(places, each.receiver)).varint(each.tensors).varint(each.below.size());
      for (MessageId id : each.below) {
        out.varint(place(places, id.worker())).varint(id.sequence());
      }
    }
  }

  /** Reads what {@link #writeAll} wrote. */
  public static List<MessageDescriptor> readAll(WireInput in) {
    long[] workers = new long[in.count(1)];
    Arrays.setAll(workers, i -> in.varint());
    int count = in.count(5);
    List<MessageDescriptor> descriptors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      MessageId id = new MessageId(worker(workers, in), in.varint());
      long receiver = worker(workers, in);
      long tensors = in.varint();
      if (tensors < 1 || tensors > Integer.MAX_VALUE) {
        throw in.damaged("message " + id + " has tensors=" + tensors);
      }
      int size = in.count(2);
      List<MessageId> below = new ArrayList<>(size);
      for (int k = 0; k < size; k++) {
        below.add(new MessageId(worker(workers, in), in.varint()));
      }
      descriptors.add(new MessageDescriptor(id, receiver, (int) tensors, below));
    }
    return descriptors;
  }

  private static int place(Map<Long, Integer> places, long worker) {
    return Objects.requireNonNull(places.get(worker));
  }

  private static long worker(long[] workers, WireInput in) {
    long place = in.varint();
    if (place < 0 || place >= workers.length) {
      throw in.damaged("worker number " + place + " of " + workers.length);
    }
    return workers[(int) place];
  }
}
