package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.internal.collective.vector.Accumulator;
import io.hazelgrad.grid.internal.collective.vector.ElementBuffer;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The elements that one leader sends to the next and receives from the one before in a round.
 *
 * <p>In all rounds, a leader first sends elements of its own, and then passes on what has arrived:
 * as it is, or combined with elements of its own. So what it can send follows from what it has
 * received. Positions count elements of the round in one direction. Threads: one at a time.
 */
final class Relay {
  /** Three blocks of floats fit into the fastest cache of a processor. */
  private static final int BLOCK = 2 << 10;

  /** Neighbouring elements of the vector. */
  private record Span(int from, int count) {}

  private final DType dtype;
  private final Elements own;
  private final ElementBuffer vector;
  private final List<Span> leaving = new ArrayList<>();
  private final List<Span> arriving = new ArrayList<>();
  private long ready;
  private long outgoing;
  private long incoming;
  private long combined;
  private long divided;
  private Reduction reduction = Reduction.SUM;
  private int divisor = 1;

  /**
   * @param own the elements of this leader
   * @param vector takes what arrives; it may have the same elements
   */
  Relay(DType dtype, Elements own, ElementBuffer vector) {
    this.dtype = dtype;
    this.own = own;
    this.vector = vector;
  }

  /** Adds elements of this leader, which leave before all others. */
  void sends(int from, int count) {
    leaving.add(new Span(from, count));
    ready += count;
    outgoing += count;
  }

  /** Adds elements that arrive and, if they are passed on, leave for the next leader. */
  void receives(int from, int count, boolean passedOn) {
    Span span = new Span(from, count);
    arriving.add(span);
    incoming += count;
    if (passedOn) {
      leaving.add(span);
      outgoing += count;
    }
  }

  /**
   * Says that all elements added so far arrive to be combined with those of this leader.
   *
   * @param last the number of elements, at their end, that are complete then and are divided
   */
  void combines(Reduction how, int by, int last) {
    reduction = how;
    divisor = by;
    combined = incoming;
    divided = incoming - last;
  }

  /** Returns the number of elements that leave. */
  long outgoing() {
    return outgoing;
  }

  /** Returns the number of elements that arrive. */
  long incoming() {
    return incoming;
  }

  /** Returns the number of elements that can leave when so many have arrived. */
  long ready(long received) {
    return Math.min(outgoing, ready + received);
  }

  /** Appends the elements between two positions. */
  void fill(long from, long to, ByteBuffer target) {
    long begin = 0;
    for (int i = 0; i < leaving.size() && begin < to; i++) {
      Span span = leaving.get(i);
      long at = Math.max(from, begin);
      long end = Math.min(to, begin + span.count);
      if (at < end) {
        Elements source = end <= ready ? own : vector;
        source.copyTo(span.from + (int) (at - begin), (int) (end - at), target);
      }
      begin += span.count;
    }
  }

  /** Takes the elements between the position and the limit of a buffer. */
  void take(long from, ByteBuffer elements) {
    int size = dtype.bytes();
    long to = from + elements.remaining() / size;
    long begin = 0;
    for (int i = 0; i < arriving.size() && begin < to; i++) {
      Span span = arriving.get(i);
      long at = Math.max(from, begin);
      int count = (int) (Math.min(to, begin + span.count) - at);
      if (count > 0) {
        ByteBuffer some = slice(elements, (int) (at - from) * size, count * size);
        int index = span.from + (int) (at - begin);
        if (at >= combined) {
          vector.put(index, some);
        } else {
          combine(index, some, at >= divided ? divisor : 1);
        }
      }
      begin += span.count;
    }
  }

  private static ByteBuffer slice(ByteBuffer bytes, int from, int count) {
    return bytes.slice(bytes.position() + from, count).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void combine(int index, ByteBuffer arrived, int by) {
    int size = dtype.bytes();
    Accumulator sums = Accumulator.of(dtype, BLOCK);
    ByteBuffer block = ByteBuffer.allocate(BLOCK * size).order(ByteOrder.LITTLE_ENDIAN);
    int total = arrived.remaining() / size;
    for (int at = 0; at < total; at += BLOCK) {
      int count = Math.min(BLOCK, total - at);
      own.copyTo(index + at, count, block.clear());
      sums.first(block.flip());
      sums.combine(slice(arrived, at * size, count * size), reduction);
      if (by > 1) {
        sums.divide(by);
      }
      sums.store(block.clear());
      vector.put(index + at, block.flip());
    }
  }
}
