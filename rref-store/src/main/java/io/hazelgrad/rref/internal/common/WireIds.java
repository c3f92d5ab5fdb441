package io.hazelgrad.rref.internal.common;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The wire form of ids in the values and headers of calls. */
public final class WireIds {
  private WireIds() {}

  public static long[] toLongs(RRefId id) {
    return new long[] {id.creator(), id.sequence(), id.getPartitionKey()};
  }

  public static long[] toLongs(ForkId fork) {
    return new long[] {fork.issuer(), fork.sequence(), fork.index()};
  }

  /** Returns the arguments of a call about some RRefs. */
  public static List<@Nullable Object> toLongs(Collection<RRefId> ids) {
    List<@Nullable Object> arguments = new ArrayList<>(ids.size());
    ids.forEach(id -> arguments.add(toLongs(id)));
    return arguments;
  }

  public static ForkId forkOfLongs(@Nullable Object value) {
    long[] parts = parts("a fork", value);
    return new ForkId(parts[0], parts[1], (int) parts[2]);
  }

  public static RRefId rrefOfLongs(@Nullable Object value) {
    long[] parts = parts("an RRef", value);
    return new RRefId(parts[0], parts[1], (int) parts[2]);
  }

  private static long[] parts(String what, @Nullable Object value) {
    if (value instanceof long[] parts && parts.length == 3) {
      return parts;
    }
    throw new GridException(
        Status.BAD_VALUE, what + " id is an array of three longs, not " + value);
  }

  public static void write(RRefId id, WireOutput out) {
    out.varint(id.creator()).varint(id.sequence()).varint(id.getPartitionKey());
  }

  public static RRefId readRRefId(WireInput in) {
    return new RRefId(in.varint(), in.varint(), (int) in.varint());
  }

  public static void write(ForkId fork, WireOutput out) {
    out.varint(fork.issuer()).varint(fork.sequence()).varint(fork.index());
  }

  public static ForkId readForkId(WireInput in) {
    return new ForkId(in.varint(), in.varint(), (int) in.varint());
  }

  public static void write(Worker worker, WireOutput out) {
    out.utf(worker.name()).varint(worker.id()).uuid(worker.incarnation());
  }

  public static Worker readWorker(WireInput in) {
    return new Worker(in.utf(), in.varint(), in.uuid());
  }
}
