package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.internal.collective.vector.ElementBuffer;
import io.hazelgrad.grid.internal.collective.vector.Elements;
import io.hazelgrad.grid.internal.collective.vector.FlatVector;
import io.hazelgrad.grid.internal.collective.vector.Target;
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

  void allReduce(
      Elements source, ElementBuffer results, RoundSignature signature, RoundControl control) {
    int divisor = divisor(signature);
    if (whole != null) {
      whole.allReduce(source, results, signature, divisor, control);
    } else if (local == null) {
      ring.allReduce(source, results, signature, divisor, control);
    } else {
      FlatVector sum = new FlatVector(signature.dtype(), signature.elements());
      local.allReduce(source, sum, signature, 1, control);
      if (isLeader()) {
        ring.allReduce(sum, sum, signature, divisor, control);
      }
      share(sum, results, signature.elements(), signature, control);
    }
  }

  void reduceScatter(
      Elements source, Target results, RoundSignature signature, RoundControl control) {
    if (whole != null) {
      whole.reduceScatter(source, results, signature, divisor(signature), control);
      return;
    }
    FlatVector all = new FlatVector(signature.dtype(), signature.elements());
    allReduce(source, all, signature, control);
    int part = signature.elements() / hosts.members();
    results.put(0, all.slice(rank * part, part));
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
    int total = Math.multiplyExact(hosts.members(), length);
    int[] begins = new int[hosts.count() + 1];
    for (int host = 0; host < hosts.count(); host++) {
      begins[host + 1] = begins[host] + hosts.membersOf(host).size() * length;
    }
    FlatVector byHost = new FlatVector(signature.dtype(), total);
    int begin = begins[hosts.hostOf(rank)];
    if (local == null) {
      source.copyTo(0, length, byHost.slice(begin, length));
    } else {
      Target own = (from, bytes) -> byHost.put(begin + from, bytes);
      local.gather(source, own, -1, length, signature, control);
    }
    FlatVector byRank = new FlatVector(signature.dtype(), total);
    if (isLeader()) {
      ring.allGather(byHost, begins, signature, control);
      for (int host = 0; host < hosts.count(); host++) {
        List<Integer> members = hosts.membersOf(host);
        for (int i = 0; i < members.size(); i++) {
          byRank.put(members.get(i) * length, byHost.slice(begins[host] + i * length, length));
        }
      }
    }
    share(byRank, results, total, signature, control);
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
      ring.broadcast(vector, hosts.hostOf(root), signature, control);
    }
    share(vector, results, length, signature, control);
  }

  long bytesSent() {
    return ring.bytesSent() + (local == null ? 0 : local.bytesWritten());
  }

  void close() {
    ring.close();
  }
}
