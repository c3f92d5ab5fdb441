package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.collective.HostMemory.Counter;
import io.hazelgrad.grid.internal.collective.vector.Accumulator;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import io.hazelgrad.grid.internal.collective.vector.Target;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Moves and combines the elements of the members on one host, in {@link HostMemory}.
 *
 * <p>A round is a number of steps, each as large as the slots. All members make the same steps in
 * the same order, and count them over all rounds. In a step of a reduction, each member
 *
 * <ol>
 *   <li>posts its chunks of the other members' parts to its own input,
 *   <li>combines all members' chunks of its own part, in the order of the members, into its output,
 *   <li>takes the outputs of the others.
 * </ol>
 *
 * <p>A gather has no second point: members post to their outputs. The three points of one step run
 * beside those of the next steps, so a member seldom waits. A slot is written again when all
 * members have read it: an input of step {@code s - SLOTS} when all have combined that step, an
 * output when all have taken it.
 *
 * <p>Threads: one at a time.
 */
final class HostExchange {
  /** A point of a step. */
  private interface Point {
    void at(long step, int index);
  }

  /** Three blocks fit into the fastest cache of a processor. */
  private static final int BLOCK_BYTES = 8 << 10;

  private static final int SPINS = 256;
  private static final int YIELDS = 512;
  private static final long LEAST_PARK_NANOS = 20_000;
  private static final long MOST_PARK_NANOS = 500_000;

  private final HostMemory memory;
  private final List<Worker> members;
  private final int self;

  /** A block of this member's own part, which no other member needs. */
  private final ByteBuffer block;

  private long steps;
  private long bytesWritten;

  /**
   * @param members the members on this host
   * @param self the place of this one among them
   */
  HostExchange(HostMemory memory, List<Worker> members, int self) {
    this.memory = memory;
    this.members = members;
    this.self = self;
    this.block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Combines the elements of all members, and gives the result to each. */
  void allReduce(
      Elements source,
      Target results,
      RoundSignature signature,
      int divisor,
      RoundControl control) {
    Span span = new Span(signature.elements(), signature.dtype().bytes());
    run(
        span.steps(),
        signature,
        control,
        (step, index) -> post(source, span, step, index),
        (step, index) -> {
          awaitAll(Counter.TAKEN, step - HostMemory.SLOTS + 1, control);
          ByteBuffer output = memory.output(self, step, span.bytes(self, index));
          combine(source, span, step, index, signature, divisor, output);
          bytesWritten += output.limit();
          results.put(span.from(self, index), output.flip());
        },
        (step, index) -> {
          for (int part = 0; part < members.size(); part++) {
            if (part != self) {
              ByteBuffer output = memory.output(part, step, span.bytes(part, index));
              results.put(span.from(part, index), output);
            }
          }
        });
  }

  /** Combines the elements of all members, and gives each the part of its place. */
  void reduceScatter(
      Elements source,
      Target results,
      RoundSignature signature,
      int divisor,
      RoundControl control) {
    Span span = new Span(signature.elements(), signature.dtype().bytes());
    ByteBuffer part = ByteBuffer.allocate(memory.chunkBytes()).order(ByteOrder.LITTLE_ENDIAN);
    run(
        span.steps(),
        signature,
        control,
        (step, index) -> post(source, span, step, index),
        (step, index) -> {
          combine(source, span, step, index, signature, divisor, part.clear());
          results.put(span.from(self, index) - span.from(self, 0), part.flip());
        },
        (step, index) -> {});
  }

  /**
   * Gives the elements of members to all.
   *
   * @param from the place of the only member that gives elements, or -1 if each does
   * @param length the number of elements of one member
   */
  void gather(
      Elements source,
      Target results,
      int from,
      int length,
      RoundSignature signature,
      RoundControl control) {
    int elementBytes = signature.dtype().bytes();
    int chunk = memory.chunkBytes() / elementBytes;
    int first = from < 0 ? 0 : from;
    int last = from < 0 ? members.size() : from + 1;
    run(
        Math.max(1, (length + chunk - 1) / chunk),
        signature,
        control,
        (step, index) -> {
          int count = Math.min(chunk, length - index * chunk);
          if (self >= first && self < last) {
            awaitAll(Counter.TAKEN, step - HostMemory.SLOTS + 1, control);
            source.copyTo(index * chunk, count, memory.output(self, step, count * elementBytes));
            bytesWritten += (long) count * elementBytes;
          }
        },
        (step, index) -> {},
        (step, index) -> {
          int count = Math.min(chunk, length - index * chunk);
          for (int each = first; each < last; each++) {
            results.put(
                (each - first) * length + index * chunk,
                memory.output(each, step, count * elementBytes));
          }
        });
  }

  private void post(Elements source, Span span, long step, int index) {
    for (int part = 0; part < members.size(); part++) {
      ByteBuffer input = memory.input(self, step, part, 0, span.bytes(part, index));
      if (part != self && input.hasRemaining()) {
        source.copyTo(span.from(part, index), span.count(part, index), input);
        bytesWritten += input.limit();
      }
    }
  }

  /** Appends the combined chunks of this member's part, block by block. */
  private void combine(
      Elements source,
      Span span,
      long step,
      int index,
      RoundSignature signature,
      int divisor,
      ByteBuffer target) {
    int size = signature.dtype().bytes();
    int total = span.count(self, index);
    Accumulator sums = Accumulator.of(signature.dtype(), BLOCK_BYTES / size);
    for (int at = 0; at < total; at += BLOCK_BYTES / size) {
      int count = Math.min(BLOCK_BYTES / size, total - at);
      block.clear();
      source.copyTo(span.from(self, index) + at, count, block);
      block.flip();
      for (int each = 0; each < members.size(); each++) {
        ByteBuffer chunk =
            each == self ? block : memory.input(each, step, self, at * size, count * size);
        if (each == 0) {
          sums.first(chunk);
        } else {
          sums.combine(chunk, signature.reduction());
        }
      }
      if (divisor > 1) {
        sums.divide(divisor);
      }
      sums.store(target);
    }
  }

  /** Makes the steps of a round; the points of neighbouring steps overlap. */
  private void run(
      int count,
      RoundSignature signature,
      RoundControl control,
      Point post,
      Point combine,
      Point take) {
    long base = steps;
    steps += count;
    for (int i = 0; i < count + 2; i++) {
      if (i < count) {
        long step = base + i;
        awaitAll(Counter.COMBINED, step - HostMemory.SLOTS + 1, control);
        memory.sign(self, step, signature.encoded());
        post.at(step, i);
        memory.set(self, Counter.POSTED, step + 1);
      }
      if (i >= 1 && i <= count) {
        long step = base + i - 1;
        awaitAll(Counter.POSTED, step + 1, control);
        for (int each = 0; each < members.size(); each++) {
          control.requireSame(signature, members.get(each), memory.signature(each, step));
        }
        combine.at(step, i - 1);
        memory.set(self, Counter.COMBINED, step + 1);
      }
      if (i >= 2) {
        long step = base + i - 2;
        awaitAll(Counter.COMBINED, step + 1, control);
        take.at(step, i - 2);
        memory.set(self, Counter.TAKEN, step + 1);
      }
    }
  }

  private void awaitAll(Counter counter, long least, RoundControl control) {
    for (int each = 0; each < members.size(); each++) {
      long start = 0;
      for (int turn = 0; memory.get(each, counter) < least; turn++) {
        if (turn >= SPINS) {
          start = start == 0 ? System.nanoTime() : start;
          // The condition comes first: a member that has left may have finished its part before.
          control.check(() -> behind(counter, least));
        }
        pause(turn);
      }
      if (start != 0) {
        control.waitedSince(start);
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // Yields for speed only; it parks soon.
  private static void pause(int turn) {
    if (turn < SPINS) {
      Thread.onSpinWait();
    } else if (turn < SPINS + YIELDS) {
      Thread.yield();
    } else {
      long nanos = LEAST_PARK_NANOS * (turn - SPINS - YIELDS + 1L);
      LockSupport.parkNanos(Math.min(nanos, MOST_PARK_NANOS));
    }
  }

  private List<Worker> behind(Counter counter, long least) {
    return IntStream.range(0, members.size())
        .filter(each -> memory.get(each, counter) < least)
        .mapToObj(members::get)
        .toList();
  }

  long bytesWritten() {
    return bytesWritten;
  }

  /** The places of a vector's elements: one part for each member, in chunks. */
  private final class Span {
    private final int length;
    private final int elementBytes;
    private final int part;
    private final int chunk;

    Span(int length, int elementBytes) {
      this.length = length;
      this.elementBytes = elementBytes;
      this.part = (length + members.size() - 1) / members.size();
      this.chunk = memory.chunkBytes() / elementBytes;
    }

    int steps() {
      return Math.max(1, (part + chunk - 1) / chunk);
    }

    int from(int member, int index) {
      return (int) Math.min(length, (long) member * part + (long) index * chunk);
    }

    int count(int member, int index) {
      long begin = (long) member * part;
      long end = Math.min(begin + part, begin + (index + 1L) * chunk);
      return (int) Math.max(0, Math.min(length, end) - from(member, index));
    }

    int bytes(int member, int index) {
      return count(member, index) * elementBytes;
    }
  }
}
