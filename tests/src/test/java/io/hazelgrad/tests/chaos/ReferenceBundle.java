package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import java.util.List;
import java.util.Map;

/** References deep inside a value, with the ids and hits that the receiver must find. */
@RemoteValue
record ReferenceBundle(List<RRef<HitCounter>> counters, Map<String, long[]> facts) {
  static ReferenceBundle of(HeldHandle holding) {
    return new ReferenceBundle(
        List.of(holding.rref()),
        Map.of(
            "counter", new long[] {holding.id(), holding.floor(), holding.isForgetful() ? 1 : 0}));
  }

  /** Returns the record of the receiver's handle, which it keeps. */
  HeldHandle keep() {
    long[] counter = facts.get("counter");
    return new HeldHandle(counters.get(0).keep(), counter[0], counter[1], counter[2] == 1);
  }
}
