package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.ClientMessage.ForwardFrameIterator;
import com.hazelcast.client.impl.protocol.ClientMessage.Frame;
import com.hazelcast.client.impl.protocol.codec.builtin.FixedSizeTypesCodec;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.UUID;

/**
 * A call between a client and a member, as a message of the client protocol with types of our own:
 * the frames after the first hold the envelope, the headers and the values of a request, or the
 * failure, the headers and the values of a reply.
 */
final class CallMessage {
  /** Hazelcast's own services have numbers below 0x40 and from 0xFC up. */
  static final int REQUEST = 0x7A6801;

  private static final int REPLY = REQUEST + 1;
  private static final int TARGET_OFFSET = ClientMessage.PARTITION_ID_FIELD_OFFSET + Integer.BYTES;
  private static final int REQUEST_BYTES = TARGET_OFFSET + FixedSizeTypesCodec.UUID_SIZE_IN_BYTES;
  private static final int REPLY_BYTES = ClientMessage.RESPONSE_BACKUP_ACKS_FIELD_OFFSET + 1;

  private CallMessage() {}

  static ClientMessage request(UUID target, Request request) {
    ClientMessage message = ClientMessage.createForEncode();
    message.setRetryable(false); // Who sends it does so itself, with the time that is left.
    message.setOperationName("Hazelgrad.Call");
    Frame first = first(REQUEST, REQUEST_BYTES);
    FixedSizeTypesCodec.encodeInt(first.content, ClientMessage.PARTITION_ID_FIELD_OFFSET, -1);
    FixedSizeTypesCodec.encodeUUID(first.content, TARGET_OFFSET, target);
    message.add(first);
    return add(message, request.envelope(), request.headers(), request.values());
  }

  static ClientMessage reply(Reply reply) {
    ClientMessage message = ClientMessage.createForEncode();
    message.add(first(REPLY, REPLY_BYTES));
    return add(message, reply.failureBytes(), reply.headers(), reply.values());
  }

  private static Frame first(int type, int bytes) {
    Frame frame = new Frame(new byte[bytes], ClientMessage.UNFRAGMENTED_MESSAGE);
    FixedSizeTypesCodec.encodeInt(frame.content, ClientMessage.TYPE_FIELD_OFFSET, type);
    return frame;
  }

  private static ClientMessage add(ClientMessage message, byte[]... parts) {
    for (byte[] part : parts) {
      message.add(new Frame(part));
    }
    return message;
  }

  /** Returns the member that a request is for. */
  static UUID target(ClientMessage message) {
    Frame first = message.frameIterator().next();
    if (first.content.length < REQUEST_BYTES) {
      throw new GridException(
          Status.BAD_VALUE, "the message of a call has a first frame of " + first.content.length);
    }
    UUID target = FixedSizeTypesCodec.decodeUUID(first.content, TARGET_OFFSET);
    if (target == null) {
      throw new GridException(Status.BAD_VALUE, "the message of a call names no member");
    }
    return target;
  }

  static Request readRequest(ClientMessage message) {
    byte[][] parts = parts(message);
    return Request.read(parts[0], parts[1], parts[2]);
  }

  static Reply readReply(ClientMessage message) {
    byte[][] parts = parts(message);
    return Reply.read(parts[0], parts[1], parts[2]);
  }

  private static byte[][] parts(ClientMessage message) {
    byte[][] parts = new byte[3][];
    ForwardFrameIterator frames = message.frameIterator();
    frames.next();
    for (int i = 0; i < parts.length; i++) {
      if (!frames.hasNext()) {
        throw new GridException(Status.BAD_VALUE, "the message of a call ends after part " + i);
      }
      parts[i] = frames.next().content;
    }
    return parts;
  }
}
