package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures the bytes of a reference to a tensor of one element, tensor included: the increase of
 * {@link MemoryUsage} of a process by many references. A reference made by {@code remote} has its
 * registry entry on the owner and the entry's backup on the other worker, which is the user here.
 */
final class MemoryBench {
  private static final int OBJECTS = 100_000;
  private static final int AT_ONCE = 1000;
  private static final String TRANSPORT = "tcp";

  private final Grid user;
  private final String owner;
  private final Consumer<Figure> figures;

  MemoryBench(Grid user, String owner, Consumer<Figure> figures) {
    this.user = user;
    this.owner = owner;
    this.figures = figures;
  }

  void run() {
    close(makeRemote(AT_ONCE)); // Loads classes and creates what exists once.
    figures.accept(
        Figure.of(
            "heap_idle_worker", Map.of("transport", TRANSPORT), usedByOwner() / 1e6, "MB", 1));
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
    user.rpc().sync(owner, hold, OBJECTS);
    report(what, usedByOwner(), before);
    user.rpc().sync(owner, Function.action(BenchFunctions::letGo));
  }

  private void report(String what, long after, long before) {
    Map<String, Object> params =
        Map.of("what", what, "used_mb", after / 1e6, "transport", TRANSPORT);
    double each = (double) (after - before) / OBJECTS;
    figures.accept(Figure.of("memory_per_object", params, each, "bytes", OBJECTS));
  }

  private long usedByOwner() {
    return user.rpc().sync(owner, BenchFunctions::usedBytes);
  }

  private List<RRef<Variable>> makeRemote(int n) {
    Variable a = BenchFunctions.small();
    Function<Variable> add = Function.operator("add");
    List<RRef<Variable>> made = new ArrayList<>(n);
    while (made.size() < n) {
      for (int i = 0; i < AT_ONCE; i++) {
        made.add(RRefs.on(user).remote(owner, add, a, a));
      }
      made.get(made.size() - 1).toHere();
    }
    made.forEach(rref -> rref.creation().join());
    return made;
  }

  private void close(List<RRef<Variable>> made) {
    made.forEach(RRef::close);
    Polling.until("all are deleted", () -> user.rpc().sync(owner, BenchFunctions::objects) == 0);
  }
}
