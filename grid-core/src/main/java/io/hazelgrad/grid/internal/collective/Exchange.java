package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.collective.Reduction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rounds of one member: within its host by {@link HostExchange}, between hosts by {@link
 * Ring}. Over several hosts, the members of a host first combine their elements, then the leaders
 * of the hosts do, and each gives the result to its host.
 *
 * <p>Threads: one at a time.
 */
final class Exchange {
  private final HostMap hosts;
  private final int rank;

  /** Null if no other member is on this host. */
  private final @Nullable HostExchange local;

  /** The same, if all members are on this host; else null. */
  private final @Nullable HostExchange whole;

  private final Ring ring;

  Exchange(HostMap hosts, int rank, @Nullable HostExchange local, Ring ring) {
    this.hosts = hosts;
    this.rank = rank;
    this.local = local;
    this.whole = hosts.count() == 1 ? local : null;
    this.ring = ring;
  }

  private boolean isLeader() {
    return hosts.placeOf(rank) == 0;
  }

  private int divisor(RoundSignature signature) {
    return signature.reduction() == Reduction.MEAN ? hosts.members() : 1;
  }

  void allReduce(Elements source, Target results, RoundSignature signature, RoundControl control) {
    int length = signature.elements();
    if (whole != null) {
      whole.allReduce(source, results, signature, divisor(signature), control);
      return;
    }
    FlatVector sum = sum(source, signature, control);
    share(sum, results, length, signature, control);
  }

  void reduceScatter(
      Elements source, Target results, RoundSignature signature, RoundControl control) {
    int length = signature.elements();
    if (whole != null) {
      whole.reduceScatter(source, results, signature, divisor(signature), control);
      return;
    }
    FlatVector sum = sum(source, signature, control);
    FlatVector all = new FlatVector(signature.dtype(), length);
    share(sum, all, length, signature, control);
    int part = length / hosts.members();
    results.put(0, all.slice(rank * part, part));
  }

  /** Returns the combined elements of all members at leaders; elsewhere what does not matter. */
  private FlatVector sum(Elements source, RoundSignature signature, RoundControl control) {
    int length = signature.elements();
    FlatVector sum = new FlatVector(signature.dtype(), length);
    if (local == null) {
      source.copyTo(0, length, sum.slice(0, length));
    } else {
      local.allReduce(source, sum, signature, 1, control);
    }
    if (isLeader()) {
      ring.allReduce(sum, length, signature, divisor(signature), control);
    }
    return sum;
  }

  /** Gives the vector of the host's leader to all of the host. */
  private void share(
      FlatVector vector,
      Target results,
      int length,
      RoundSignature signature,
      RoundControl control) {
    if (local == null) {
      results.put(0, vector.slice(0, length));
    } else {
      local.gather(vector, results, 0, length, signature, control);
    }
  }

  void allGather(Elements source, Target results, RoundSignature signature, RoundControl control) {
    int length = signature.elements();
    if (whole != null) {
      whole.gather(source, results, -1, length, signature, control);
      return;
    }
    List<FlatVector> blocks = new ArrayList<>();
    int[] lengths = new int[hosts.count()];
    for (int host = 0; host < hosts.count(); host++) {
      lengths[host] = Math.multiplyExact(hosts.membersOf(host).size(), length);
      blocks.add(new FlatVector(signature.dtype(), lengths[host]));
    }
    FlatVector own = blocks.get(hosts.hostOf(rank));
    if (local == null) {
      source.copyTo(0, length, own.slice(0, length));
    } else {
      local.gather(source, own, -1, length, signature, control);
    }
    FlatVector all = new FlatVector(signature.dtype(), Math.multiplyExact(hosts.members(), length));
    if (isLeader()) {
      ring.allGather(blocks, lengths, signature, control);
      for (int host = 0; host < hosts.count(); host++) {
        List<Integer> members = hosts.membersOf(host);
        for (int i = 0; i < members.size(); i++) {
          all.put(members.get(i) * length, blocks.get(host).slice(i * length, length));
        }
      }
    }
    share(all, results, hosts.members() * length, signature, control);
  }

  void broadcast(Elements source, Target results, RoundSignature signature, RoundControl control) {
    int length = signature.elements();
    int root = signature.root();
    if (whole != null) {
      whole.gather(source, results, hosts.placeOf(root), length, signature, control);
      return;
    }
    FlatVector vector = new FlatVector(signature.dtype(), length);
    if (hosts.hostOf(rank) == hosts.hostOf(root)) {
      if (local == null) {
        source.copyTo(0, length, vector.slice(0, length));
      } else {
        local.gather(source, vector, hosts.placeOf(root), length, signature, control);
      }
    }
    if (isLeader()) {
      ring.broadcast(vector, hosts.hostOf(root), length, signature, control);
    }
    share(vector, results, length, signature, control);
  }

  long bytesWritten() {
    return local == null ? 0 : local.bytesWritten();
  }
}
