package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import java.io.IOException;
import java.util.UUID;

/**
 * The address for a late reply: one that is not ready when the task of its request ends.
 *
 * @param caller the random id of the caller's {@link PendingRequests}. Only the callees of the
 *     caller know it, so no other process can forge or fetch its replies
 * @param number the caller's number for the request
 * @param isPolled whether the caller fetches its replies, as a client does
 */
record ReplyAddress(UUID caller, long number, boolean isPolled) {
  void write(ObjectDataOutput out) throws IOException {
    write(caller, out);
    out.writeLong(number);
    out.writeBoolean(isPolled);
  }

  static ReplyAddress read(ObjectDataInput in) throws IOException {
    return new ReplyAddress(readId(in), in.readLong(), in.readBoolean());
  }

  static void write(UUID id, ObjectDataOutput out) throws IOException {
    out.writeLong(id.getMostSignificantBits());
    out.writeLong(id.getLeastSignificantBits());
  }

  static UUID readId(ObjectDataInput in) throws IOException {
    return new UUID(in.readLong(), in.readLong());
  }
}
