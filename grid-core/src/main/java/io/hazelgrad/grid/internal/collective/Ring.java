package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Moves and combines vectors between hosts. One member of each host, its leader, takes part; each
 * sends to the next one only. See Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
 * clusters of workstations" (2009).
 *
 * <p>A part leaves in pieces, so that the receiver combines the first ones while the next ones
 * arrive. Threads: one at a time.
 */
final class Ring {
  private static final int PIECE_BYTES = 4 << 20;
  private static final int BLOCK = 16 << 10;
  private static final int SMALL_BYTES = 64 << 10;

  private final Inbox inbox;
  private final Outbox outbox;
  private final List<Worker> members;
  private final List<Integer> leaders;
  private final int place;

  /**
   * Counts the pieces in both directions. Tags of rounds are below zero, those of users are not.
   */
  private long sent;

  private long received;

  /**
   * @param members all members of the collective by rank
   * @param leaders the ranks of the leaders
   * @param place the place of this member among them
   */
  Ring(Inbox inbox, Outbox outbox, List<Worker> members, List<Integer> leaders, int place) {
    this.inbox = inbox;
    this.outbox = outbox;
    this.members = members;
    this.leaders = leaders;
    this.place = place;
  }

  int hosts() {
    return leaders.size();
  }

  /** Combines the vectors of all leaders into each of them. */
  void allReduce(
      FlatVector vector, int length, RoundSignature signature, int divisor, RoundControl control) {
    DType dtype = signature.dtype();
    Accumulator sums = Accumulator.of(dtype, BLOCK);
    if ((long) length * dtype.bytes() <= SMALL_BYTES) {
      allReduceSmall(sums, vector, length, signature, control);
      divide(sums, vector, 0, length, divisor);
      return;
    }
    int part = (length + hosts() - 1) / hosts();
    for (int step = 0; step < hosts() - 1; step++) {
      send(vector, partAt(place - step), part, length, signature);
      receive(
          partAt(place - step - 1),
          part,
          length,
          signature,
          control,
          (from, piece) -> combine(sums, vector, from, piece, signature));
    }
    int own = partAt(place + 1);
    divide(sums, vector, own * part, Math.min(length, (own + 1) * part), divisor);
    for (int step = 0; step < hosts() - 1; step++) {
      send(vector, partAt(place + 1 - step), part, length, signature);
      receive(partAt(place - step), part, length, signature, control, vector::put);
    }
  }

  /** Sends whole vectors around, which takes half as many messages in a row. */
  private void allReduceSmall(
      Accumulator sums,
      FlatVector vector,
      int length,
      RoundSignature signature,
      RoundControl control) {
    List<FlatVector> vectors = new ArrayList<>();
    for (int host = 0; host < hosts(); host++) {
      vectors.add(host == place ? vector : new FlatVector(signature.dtype(), length));
    }
    int[] lengths = new int[hosts()];
    Arrays.fill(lengths, length);
    allGather(vectors, lengths, signature, control);
    for (int at = 0; at < length; at += BLOCK) {
      int count = Math.min(BLOCK, length - at);
      sums.first(vectors.get(0).slice(at, count));
      for (int host = 1; host < hosts(); host++) { // The same order at all of them.
        sums.combine(vectors.get(host).slice(at, count), signature.reduction());
      }
      sums.store(vector.slice(at, count));
    }
  }

  private int partAt(int index) {
    return Math.floorMod(index, hosts());
  }

  private static void combine(
      Accumulator sums, FlatVector vector, int from, Tensor piece, RoundSignature signature) {
    FlatVector more = new FlatVector(signature.dtype(), piece.size());
    more.put(0, piece);
    for (int at = 0; at < piece.size(); at += BLOCK) {
      int count = Math.min(BLOCK, piece.size() - at);
      sums.first(vector.slice(from + at, count));
      sums.combine(more.slice(at, count), signature.reduction());
      sums.store(vector.slice(from + at, count));
    }
  }

  private static void divide(Accumulator sums, FlatVector vector, int from, int to, int divisor) {
    if (divisor == 1) {
      return;
    }
    for (int at = from; at < to; at += BLOCK) {
      int count = Math.min(BLOCK, to - at);
      sums.first(vector.slice(at, count));
      sums.divide(divisor);
      sums.store(vector.slice(at, count));
    }
  }

  /**
   * Gives the vectors of all leaders to each of them.
   *
   * @param vectors by place; the one of this leader is filled
   * @param lengths the lengths of the vectors
   */
  void allGather(
      List<FlatVector> vectors, int[] lengths, RoundSignature signature, RoundControl control) {
    for (int step = 0; step < hosts() - 1; step++) {
      int leaving = partAt(place - step);
      send(vectors.get(leaving), 0, lengths[leaving], lengths[leaving], signature);
      int arriving = partAt(place - step - 1);
      FlatVector target = vectors.get(arriving);
      receive(0, lengths[arriving], lengths[arriving], signature, control, target::put);
    }
  }

  /** Gives the vector of one leader to all. */
  void broadcast(
      FlatVector vector, int from, int length, RoundSignature signature, RoundControl control) {
    if (place != from) {
      receive(0, length, length, signature, control, vector::put);
    }
    if (partAt(place + 1) != from) {
      send(vector, 0, length, length, signature);
    }
  }

  /** Uses a piece that begins at an element of the vector. */
  private interface PieceUse {
    void at(int from, Tensor piece);
  }

  private void send(FlatVector vector, int index, int part, int length, RoundSignature signature) {
    int begin = Math.min(length, index * part);
    int end = Math.min(length, begin + part);
    int piece = PIECE_BYTES / signature.dtype().bytes();
    int at = begin;
    do { // A part without elements is a message too: it brings the signature.
      int count = Math.min(piece, end - at);
      int next = leaders.get(partAt(place + 1));
      long tag = --sent;
      List<Tensor> leaving = List.of(vector.copy(at, count));
      var unused = outbox.send(next, tag, signature.encoded(), leaving); // A failure ends all.
      at += count;
    } while (at < end);
  }

  private void receive(
      int index,
      int part,
      int length,
      RoundSignature signature,
      RoundControl control,
      PieceUse use) {
    int at = Math.min(length, index * part);
    int end = Math.min(length, at + part);
    int previous = leaders.get(partAt(place - 1));
    do {
      long tag = --received;
      Inbox.Part arrived = inbox.take(previous, tag, control);
      control.requireSame(signature, members.get(previous), arrived.signature());
      Tensor elements = arrived.tensors().get(0);
      use.at(at, elements);
      at += elements.size();
      elements.release();
    } while (at < end);
  }
}
