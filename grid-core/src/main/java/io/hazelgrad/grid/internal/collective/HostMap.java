package io.hazelgrad.grid.internal.collective;

import java.util.ArrayList;
import java.util.List;

/** The hosts of a collective, each with the ranks of its members. A host's first one leads it. */
final class HostMap {
  private final List<List<Integer>> hosts;
  private final int members;

  private HostMap(List<List<Integer>> hosts, int members) {
    this.hosts = hosts;
    this.members = members;
  }

  /** Tells whether two members use each other's memory. */
  interface Sight {
    boolean between(int rank, int other);
  }

  /** Puts each member on the host of the first leader that it shares memory with. */
  static HostMap of(int members, Sight sight) {
    List<List<Integer>> hosts = new ArrayList<>();
    for (int rank = 0; rank < members; rank++) {
      int each = rank;
      hosts.stream()
          .filter(host -> sight.between(host.get(0), each))
          .findFirst()
          .orElseGet(
              () -> {
                List<Integer> fresh = new ArrayList<>();
                hosts.add(fresh);
                return fresh;
              })
          .add(rank);
    }
    return new HostMap(hosts.stream().map(List::copyOf).toList(), members);
  }

  int members() {
    return members;
  }

  int count() {
    return hosts.size();
  }

  List<Integer> membersOf(int host) {
    return hosts.get(host);
  }

  List<Integer> leaders() {
    return hosts.stream().map(host -> host.get(0)).toList();
  }

  int hostOf(int rank) {
    for (int host = 0; host < hosts.size(); host++) {
      if (hosts.get(host).contains(rank)) {
        return host;
      }
    }
    throw new IllegalArgumentException("no rank " + rank + " of " + members);
  }

  int placeOf(int rank) {
    return hosts.get(hostOf(rank)).indexOf(rank);
  }
}
