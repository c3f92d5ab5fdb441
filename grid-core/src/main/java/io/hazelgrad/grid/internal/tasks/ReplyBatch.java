package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Replies that travel together to one caller. */
public final class ReplyBatch implements IdentifiedDataSerializable {
  /** A batch is not filled further when it holds this many bytes. */
  static final long FULL = 1 << 20;

  /**
   * A reply with the number of its request. It is kept as the bytes that travel: the causes of a
   * failure may hold anything.
   */
  @SuppressWarnings("ArrayRecordComponent") // Not compared by content.
  record LateReply(long number, byte[] failure, byte[] headers, byte[] values, byte[] proof) {
    static LateReply of(long number, Reply reply) {
      return new LateReply(
          number, reply.failureBytes(), reply.headers(), reply.values(), reply.proof());
    }

    Reply reply() {
      return Reply.read(failure, headers, values).travelled(proof);
    }

    /** Returns about how many bytes it holds. */
    int size() {
      return 64 + failure.length + headers.length + values.length;
    }
  }

  private List<LateReply> replies = List.of();

  /** The position of the last reply among those that a worker keeps for a client; else 0. */
  private long last;

  /** For the serializer. */
  public ReplyBatch() {}

  ReplyBatch(List<LateReply> replies, long last) {
    this.replies = replies;
    this.last = last;
  }

  /** Returns as many of the first replies as fill a batch. */
  static List<LateReply> first(Iterator<LateReply> replies) {
    List<LateReply> batch = new ArrayList<>();
    for (long size = 0; size < FULL && replies.hasNext(); ) {
      LateReply reply = replies.next();
      batch.add(reply);
      size += reply.size();
    }
    return batch;
  }

  List<LateReply> replies() {
    return replies;
  }

  long last() {
    return last;
  }

  @Override
  public int getFactoryId() {
    return SerializerIds.FACTORY;
  }

  @Override
  public int getClassId() {
    return SerializerIds.REPLY_BATCH;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(last);
    out.writeInt(replies.size());
    for (LateReply each : replies) {
      out.writeLong(each.number);
      out.writeByteArray(each.failure);
      out.writeByteArray(each.headers);
      out.writeByteArray(each.values);
      out.writeByteArray(each.proof);
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    last = in.readLong();
    int count = in.readInt();
    if (count < 0 || (in instanceof InputStream bytes && count > bytes.available())) {
      throw new EOFException("a batch of " + count + " replies is not there");
    }
    replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(
          new LateReply(
              in.readLong(),
              Request.bytes(in),
              Request.bytes(in),
              Request.bytes(in),
              Request.bytes(in)));
    }
  }
}
