package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.internal.protocol.Command.Adopt;
import io.hazelgrad.rref.internal.protocol.Command.OwnerLost;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every schedule of a durable object that is stored with every reply: three workers, of which one
 * makes it; a caller who lets it count twice; an owner that dies or leaves, another that freezes,
 * is taken for dead and goes on; stores and answers that are lost, and one that comes once more,
 * late. Registry and stored values follow the rules of the product; what workers and caller do is
 * modelled as the classes of this package do it.
 *
 * <p>The object is the set of the calls that it has seen, one bit for each.
 */
class EveryAdoptionTest {
  private static final int CALLS = 2;
  private static final int WORKERS = 3;
  private static final ForkId FORK = ForkId.of(9, 1);

  private enum Holding {
    NOTHING,
    LOADED,
    OWNED
  }

  private enum Stage {
    UNSENT,
    SENT,
    RUNNING,
    ANSWERED,
    FAILED
  }

  /** A worker: whether it runs, whether the others see it, and what it has of the object. */
  private record Node(
      boolean runs, boolean member, Holding holding, int epoch, int value, long version) {
    Node with(Holding what, int inEpoch, int newValue, long newVersion) {
      return new Node(runs, member, what, inEpoch, newValue, newVersion);
    }

    Node without() {
      return with(Holding.NOTHING, 0, 0, 0);
    }
  }

  /** A call, and the worker to which it was sent. */
  private record Call(Stage stage, int at) {}

  /** A store that is under way, for a call, or for none: -1. */
  private record Store(int worker, int call, StoredValue value) {}

  private record Faults(int leaves, int crashes, int freezes, int losses, int copies) {}

  /**
   * One state of all.
   *
   * @param owner whom the caller takes for the owner
   * @param ghosts calls that failed for their caller and have yet to run, where their worker does
   * @param late what may be stored once more
   */
  private record World(
      int entry,
      StoredValue stored,
      List<Node> nodes,
      List<Call> calls,
      int owner,
      Set<Integer> ghosts,
      Set<Store> stores,
      Set<Store> late,
      Faults faults) {}

  private static final class Step {
    int entry;
    StoredValue stored;
    List<Node> nodes;
    List<Call> calls;
    int owner;
    Set<Integer> ghosts;
    Set<Store> stores;
    Set<Store> late;
    int leaves;
    int crashes;
    int freezes;
    int losses;
    int copies;

    Step(World from) {
      entry = from.entry;
      stored = from.stored;
      nodes = new ArrayList<>(from.nodes);
      calls = new ArrayList<>(from.calls);
      owner = from.owner;
      ghosts = new HashSet<>(from.ghosts);
      stores = new HashSet<>(from.stores);
      late = new HashSet<>(from.late);
      leaves = from.faults.leaves;
      crashes = from.faults.crashes;
      freezes = from.faults.freezes;
      losses = from.faults.losses;
      copies = from.faults.copies;
    }

    World world() {
      return new World(
          entry,
          stored,
          List.copyOf(nodes),
          List.copyOf(calls),
          owner,
          Set.copyOf(ghosts),
          Set.copyOf(stores),
          Set.copyOf(late),
          new Faults(leaves, crashes, freezes, losses, copies));
    }
  }

  private final EntrySpace entries = new EntrySpace();
  private final List<World> next = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 0, 0", "1, 1, 0, 1, 1", "0, 1, 1, 0, 1"})
  void answeredCallsAreKeptAndRunOnceInEveryOrder(
      int leaves, int crashes, int freezes, int losses, int copies) {
    Faults faults = new Faults(leaves, crashes, freezes, losses, copies);
    Set<World> seen = new HashSet<>();
    Deque<World> open = new ArrayDeque<>();
    World start = start(faults);
    seen.add(start);
    open.push(start);
    int adoptions = 0;
    while (!open.isEmpty()) {
      World world = open.pop();
      check(world);
      adoptions = Math.max(adoptions, entries.get(world.entry).epoch() - 1);
      next.clear();
      steps(world);
      for (World after : next) {
        if (seen.add(after)) {
          open.push(after);
        }
      }
    }
    System.out.printf(
        "%s: %,d states, %,d entries, up to %d adoptions%n",
        faults, seen.size(), entries.size(), adoptions);
    assertThat(seen.size()).isGreaterThan(50_000);
    assertThat(adoptions).isGreaterThanOrEqualTo(2);
  }

  private World start(Faults faults) {
    Entry ready =
        Registry.apply(Entry.ABSENT, new Resolve(id(0), RRefState.READY, "T", FORK, 9, 1)).entry();
    assertThat(ready.state()).isEqualTo(RRefState.READY);
    int entry =
        entries
            .apply(EntrySpace.ABSENT, new Resolve(id(0), RRefState.READY, "T", FORK, 9, 1))
            .entry();
    return new World(
        entry,
        value(1, 1, 0),
        List.of(
            new Node(true, true, Holding.OWNED, 1, 0, 1),
            new Node(true, true, Holding.NOTHING, 0, 0, 0),
            new Node(true, true, Holding.NOTHING, 0, 0, 0)),
        List.of(new Call(Stage.UNSENT, 0), new Call(Stage.UNSENT, 0)),
        0,
        Set.of(),
        Set.of(),
        Set.of(),
        faults);
  }

  private static long id(int worker) {
    return worker + 1L;
  }

  private static StoredValue value(int epoch, long version, int bits) {
    return new StoredValue(epoch, version, Durability.EVERY_REPLY, new byte[] {(byte) bits});
  }

  private static int bits(StoredValue value) {
    return value.bytes()[0];
  }

  private void check(World world) {
    Entry is = entries.get(world.entry);
    int answered = 0;
    for (int call = 0; call < CALLS; call++) {
      answered |= world.calls.get(call).stage == Stage.ANSWERED ? 1 << call : 0;
    }
    hold((bits(world.stored) & answered) == answered, "what was answered is stored", world);
    for (int worker = 0; worker < WORKERS; worker++) {
      Node node = world.nodes.get(worker);
      boolean owns =
          node.holding == Holding.OWNED && is.owner() == id(worker) && is.epoch() == node.epoch;
      hold(
          !owns || (node.value & answered) == answered, "the owner knows what was answered", world);
    }
    hold(is.state() != RRefState.LOST && is.state() != RRefState.GONE, "what is held lives", world);
  }

  private static void hold(boolean holds, String what, World world) {
    if (!holds) {
      throw new AssertionError(what + "\n" + world);
    }
  }

  // ---- The steps ----

  private void steps(World world) {
    for (int call = 0; call < CALLS; call++) {
      send(world, call);
      deliver(world, call);
    }
    for (Store store : world.stores) {
      store(world, store);
    }
    for (Store store : world.late) {
      Step step = new Step(world);
      step.late.remove(store);
      apply(step, store);
      next.add(step.world());
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      fail(world, worker);
      leave(world, worker);
      adopt(world, worker);
      reconcile(world, worker);
    }
    look(world);
  }

  private void send(World world, int call) {
    if (world.calls.get(call).stage == Stage.UNSENT) {
      Step step = new Step(world);
      step.calls.set(call, new Call(Stage.SENT, world.owner));
      next.add(step.world());
    }
  }

  private void deliver(World world, int call) {
    Call sent = world.calls.get(call);
    if (sent.stage == Stage.SENT && world.nodes.get(sent.at).runs) {
      Step step = new Step(world);
      boolean runs = run(step, sent.at, call);
      // Not run: its caller looks for the owner and sends it again.
      step.calls.set(call, new Call(runs ? Stage.RUNNING : Stage.UNSENT, sent.at));
      next.add(step.world());
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      int ghost = call * WORKERS + worker;
      if (world.ghosts.contains(ghost) && world.nodes.get(worker).runs) {
        Step step = new Step(world);
        step.ghosts.remove(ghost);
        var unused = run(step, worker, call);
        next.add(step.world());
      }
    }
  }

  /** The function runs, if the object is there, and what it did is on its way to be stored. */
  private static boolean run(Step step, int worker, int call) {
    Node node = step.nodes.get(worker);
    if (node.holding != Holding.OWNED) {
      return false;
    }
    if ((node.value & 1 << call) != 0) {
      throw new AssertionError("call " + call + " runs twice\n" + step.world());
    }
    int value = node.value | 1 << call;
    long version = node.version + 1;
    step.nodes.set(worker, node.with(Holding.OWNED, node.epoch, value, version));
    step.stores.add(new Store(worker, call, value(node.epoch, version, value)));
    return true;
  }

  private void store(World world, Store store) {
    Step step = new Step(world);
    step.stores.remove(store);
    answer(step, store, apply(step, store));
    next.add(step.world());
    if (world.faults.losses > 0) {
      for (boolean arrives : new boolean[] {true, false}) {
        Step lossy = new Step(world);
        lossy.losses--;
        lossy.stores.remove(store);
        if (arrives) {
          var unused = apply(lossy, store);
        }
        answer(lossy, store, false);
        next.add(lossy.world());
      }
    }
    if (world.faults.copies > 0) {
      Step copied = new Step(world);
      copied.copies--;
      copied.late.add(store);
      next.add(copied.world());
    }
  }

  private static boolean apply(Step step, Store store) {
    if (store.value.mayFollow(step.stored)) {
      step.stored = store.value;
    }
    return step.stored.epoch() == store.value.epoch();
  }

  private static void answer(Step step, Store store, boolean stored) {
    Call call = step.calls.get(store.call);
    if (call.stage == Stage.RUNNING && call.at == store.worker) {
      boolean replies = step.nodes.get(store.worker).runs;
      Stage end = stored && replies ? Stage.ANSWERED : Stage.FAILED;
      step.calls.set(store.call, new Call(end, store.worker));
    }
  }

  private void fail(World world, int worker) {
    Node node = world.nodes.get(worker);
    if (node.runs && node.member && world.faults.crashes > 0) {
      Step step = new Step(world);
      step.crashes--;
      step.nodes.set(worker, new Node(false, true, Holding.NOTHING, 0, 0, 0));
      next.add(step.world());
    }
    if (node.runs && node.member && world.faults.freezes > 0) {
      Step step = new Step(world);
      step.freezes--;
      step.nodes.set(worker, frozen(node, node.member));
      next.add(step.world());
    }
    if (!node.runs && node.member) {
      Step step = new Step(world);
      step.nodes.set(worker, frozen(node, false));
      for (int call = 0; call < CALLS; call++) {
        Call sent = step.calls.get(call);
        if (sent.at == worker && (sent.stage == Stage.SENT || sent.stage == Stage.RUNNING)) {
          if (sent.stage == Stage.SENT) {
            step.ghosts.add(call * WORKERS + worker);
          }
          step.calls.set(call, new Call(Stage.FAILED, worker));
        }
      }
      next.add(step.world());
    }
    if (!node.runs && node.holding != Holding.NOTHING) { // Only who is frozen still has something.
      Step step = new Step(world);
      step.nodes.set(
          worker, new Node(true, node.member, node.holding, node.epoch, node.value, node.version));
      next.add(step.world());
    }
  }

  private static Node frozen(Node node, boolean member) {
    return new Node(false, member, node.holding, node.epoch, node.value, node.version);
  }

  /** An owner leaves in good order: no call runs, all is stored, the object is given up. */
  private void leave(World world, int worker) {
    Node node = world.nodes.get(worker);
    boolean idle =
        world.calls.stream().noneMatch(call -> call.stage == Stage.RUNNING && call.at == worker);
    boolean may = node.runs && node.member && world.faults.leaves > 0;
    if (may && node.holding == Holding.OWNED && idle) {
      Step step = new Step(world);
      step.leaves--;
      StoredValue last = value(node.epoch, node.version + 1, node.value);
      if (last.mayFollow(step.stored)) {
        step.stored = last;
      }
      step.entry = entries.apply(step.entry, new OwnerLost(id(worker))).entry();
      step.nodes.set(worker, node.without());
      next.add(step.world());
    }
  }

  private void adopt(World world, int worker) {
    Node node = world.nodes.get(worker);
    Entry is = entries.get(world.entry);
    if (!node.runs || !node.member) {
      // Who is taken for dead may still have an Adopt on its way.
      if (!node.runs || node.holding != Holding.LOADED) {
        return;
      }
    } else if (is.state() == RRefState.ORPHANED && node.holding == Holding.NOTHING) {
      Step step = new Step(world);
      step.stored = step.stored.takenFor(is.epoch() + 1);
      if (step.stored.epoch() == is.epoch() + 1) {
        step.nodes.set(worker, node.with(Holding.LOADED, is.epoch() + 1, bits(step.stored), 0));
      }
      next.add(step.world());
    }
    if (node.holding == Holding.LOADED) {
      Step step = new Step(world);
      EntrySpace.Move move = entries.apply(step.entry, new Adopt(node.epoch - 1, id(worker)));
      step.entry = move.entry();
      step.nodes.set(
          worker,
          move.reply().isOk()
              ? node.with(Holding.OWNED, node.epoch, node.value, 0)
              : node.without());
      next.add(step.world());
      if (world.faults.losses > 0) { // The answer does not come: it gives up what it may have.
        Step lossy = new Step(world);
        lossy.losses--;
        lossy.entry = entries.apply(move.entry(), new OwnerLost(id(worker))).entry();
        lossy.nodes.set(worker, node.without());
        next.add(lossy.world());
      }
    }
  }

  private void reconcile(World world, int worker) {
    Node node = world.nodes.get(worker);
    Entry is = entries.get(world.entry);
    if (!node.member && is.state() == RRefState.READY && is.owner() == id(worker)) {
      Step step = new Step(world);
      step.entry = entries.apply(step.entry, new OwnerLost(id(worker))).entry();
      next.add(step.world());
    }
    boolean moved =
        is.epoch() > node.epoch || (is.epoch() == node.epoch && is.state() == RRefState.ORPHANED);
    if (node.runs && node.holding == Holding.OWNED && moved) {
      Step step = new Step(world);
      step.nodes.set(worker, node.without());
      next.add(step.world());
    }
  }

  /** The caller looks for the owner. */
  private void look(World world) {
    Entry is = entries.get(world.entry);
    int owner = (int) is.owner() - 1;
    if (is.state() == RRefState.READY && owner != world.owner && world.nodes.get(owner).member) {
      Step step = new Step(world);
      step.owner = owner;
      next.add(step.world());
    }
  }
}
