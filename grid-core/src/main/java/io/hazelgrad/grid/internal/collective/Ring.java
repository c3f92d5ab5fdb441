package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.internal.collective.vector.Accumulator;
import io.hazelgrad.grid.internal.collective.vector.ElementBuffer;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import io.hazelgrad.grid.internal.collective.vector.FlatVector;

/**
 * Moves and combines vectors between hosts. One member of each host, its leader, takes part; each
 * sends to the next one only. See Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
 * clusters of workstations" (2009).
 *
 * <p>Threads: one at a time.
 */
final class Ring {
  private static final int BLOCK = 16 << 10;
  private static final int SMALL_BYTES = 64 << 10;

  private final RingLink link;
  private final int hosts;
  private final int place;

  /**
   * @param hosts the number of leaders
   * @param place the place of this one among them
   */
  Ring(RingLink link, int hosts, int place) {
    this.link = link;
    this.hosts = hosts;
    this.place = place;
  }

  /** Combines the vectors of all leaders and gives each the result, which may be its own vector. */
  void allReduce(
      Elements own,
      ElementBuffer result,
      RoundSignature signature,
      int divisor,
      RoundControl control) {
    int length = signature.elements();
    DType dtype = signature.dtype();
    if (hosts == 1 || (long) length * dtype.bytes() <= SMALL_BYTES) {
      allReduceSmall(own, result, signature, divisor, control);
      return;
    }
    int part = (length + hosts - 1) / hosts;
    Relay relay = new Relay(dtype, own, result);
    relay.sends(begin(place, part, length), count(place, part, length));
    int steps = 2 * (hosts - 1);
    for (int step = 0; step < steps; step++) {
      int arriving = partAt(place - step - 1);
      int count = count(arriving, part, length);
      relay.receives(begin(arriving, part, length), count, step < steps - 1);
      if (step == hosts - 2) {
        relay.combines(signature.reduction(), divisor, count);
      }
    }
    run(relay, signature, control);
  }

  private static int begin(int index, int part, int length) {
    return (int) Math.min(length, (long) index * part);
  }

  private static int count(int index, int part, int length) {
    return Math.min(part, length - begin(index, part, length));
  }

  /** Sends whole vectors around, which takes half as many messages in a row. */
  private void allReduceSmall(
      Elements own,
      ElementBuffer result,
      RoundSignature signature,
      int divisor,
      RoundControl control) {
    int length = signature.elements();
    FlatVector all = new FlatVector(signature.dtype(), Math.multiplyExact(hosts, length));
    own.copyTo(0, length, all.slice(place * length, length));
    int[] begins = new int[hosts + 1];
    for (int host = 0; host <= hosts; host++) {
      begins[host] = host * length;
    }
    allGather(all, begins, signature, control);
    Accumulator sums = Accumulator.of(signature.dtype(), Math.min(BLOCK, Math.max(1, length)));
    FlatVector block = new FlatVector(signature.dtype(), Math.min(BLOCK, length));
    for (int at = 0; at < length; at += BLOCK) {
      int count = Math.min(BLOCK, length - at);
      sums.first(all.slice(at, count));
      for (int host = 1; host < hosts; host++) { // The same order at all of them.
        sums.combine(all.slice(host * length + at, count), signature.reduction());
      }
      if (divisor > 1) {
        sums.divide(divisor);
      }
      sums.store(block.slice(0, count));
      result.put(at, block.slice(0, count));
    }
  }

  private int partAt(int index) {
    return Math.floorMod(index, hosts);
  }

  /**
   * Gives the elements of all leaders to each of them.
   *
   * @param all has this leader's elements, and takes those of the others
   * @param begins where the elements of each leader begin, by place, and the length of all
   */
  void allGather(ElementBuffer all, int[] begins, RoundSignature signature, RoundControl control) {
    Relay relay = new Relay(signature.dtype(), all, all);
    relay.sends(begins[place], begins[place + 1] - begins[place]);
    for (int step = 0; step < hosts - 1; step++) {
      int arriving = partAt(place - step - 1);
      int count = begins[arriving + 1] - begins[arriving];
      relay.receives(begins[arriving], count, step < hosts - 2);
    }
    run(relay, signature, control);
  }

  /** Gives the vector of one leader to all. */
  void broadcast(ElementBuffer vector, int from, RoundSignature signature, RoundControl control) {
    Relay relay = new Relay(signature.dtype(), vector, vector);
    if (place == from) {
      relay.sends(0, signature.elements());
    } else {
      relay.receives(0, signature.elements(), partAt(place + 1) != from);
    }
    run(relay, signature, control);
  }

  /** Moves the elements of a round; a leader without others has nobody to send to. */
  private void run(Relay relay, RoundSignature signature, RoundControl control) {
    if (hosts > 1) {
      link.run(relay, signature, control);
    }
  }

  long bytesSent() {
    return link.bytesSent();
  }

  void close() {
    link.close();
  }
}
