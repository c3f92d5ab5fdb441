package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures the bytes of a reference to a tensor of one element, tensor included: the increase of
 * {@link MemoryUsage} of a process by many references. A reference made by {@code remote} has its
 * registry entry on the owner and the entry's backup on the other worker, which is the user here.
 */
final class MemoryBench extends Bench {
  private static final int OBJECTS = 100_000;
  private static final int AT_ONCE = 1000;

  private final String owner = others.get(0);

  MemoryBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    close(makeRemote(AT_ONCE)); // Loads classes and creates what exists once.
    report("heap_idle_worker", TCP, usedByOwner() / 1e6, "MB", 1);
    held("plain_tensor", Function.action(BenchFunctions::holdPlain));
    held("owner_rref_made_locally", Function.action(BenchFunctions::holdReferences));
    long before = usedByOwner();
    long mine = MemoryUsage.used();
    List<RRef<Variable>> made = makeRemote(OBJECTS);
    report("owner_rref_made_by_remote, at the owner", usedByOwner(), before);
    report("user_rref_made_by_remote, at the user", MemoryUsage.used(), mine);
    close(made);
    made.clear();
    report("tombstone_of_one_that_is_gone, at the owner", usedByOwner(), before);
  }

  private void held(String what, Function<?> hold) {
    long before = usedByOwner();
    caller.rpc().sync(owner, hold, OBJECTS);
    report(what, usedByOwner(), before);
    caller.rpc().sync(owner, Function.action(BenchFunctions::letGo));
  }

  private void report(String what, long after, long before) {
    Map<String, Object> params = Map.of("what", what, "used_mb", after / 1e6, "transport", "tcp");
    double each = (double) (after - before) / OBJECTS;
    report("memory_per_object", params, each, "bytes", OBJECTS);
  }

  private long usedByOwner() {
    return caller.rpc().sync(owner, MemoryUsage::used);
  }

  private List<RRef<Variable>> makeRemote(int n) {
    List<RRef<Variable>> made = new ArrayList<>(n);
    while (made.size() < n) {
      for (int i = 0; i < AT_ONCE; i++) {
        made.add(RRefs.on(caller).remote(owner, add, one, one));
      }
      made.get(made.size() - 1).toHere();
    }
    made.forEach(rref -> rref.creation().join());
    return made;
  }

  private void close(List<RRef<Variable>> made) {
    made.forEach(RRef::close);
    awaitObjects(owner, 0);
  }
}
