package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import java.util.List;
import java.util.Map;

/** References deep inside a value, with the ids and hits that the receiver must find. */
@RemoteValue
record Parcel(List<RRef<Stone>> stones, Map<String, long[]> facts) {
  static Parcel of(Holding holding) {
    return new Parcel(
        List.of(holding.rref()),
        Map.of("stone", new long[] {holding.id(), holding.floor(), holding.isForgetful() ? 1 : 0}));
  }

  /** Returns the record of the receiver's handle, which it keeps. */
  Holding keep() {
    long[] stone = facts.get("stone");
    return new Holding(stones.get(0).keep(), stone[0], stone[1], stone[2] == 1);
  }
}
