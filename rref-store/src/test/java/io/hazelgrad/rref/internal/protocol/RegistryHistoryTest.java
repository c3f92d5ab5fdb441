package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.internal.protocol.Command.Claim;
import io.hazelgrad.rref.internal.protocol.Command.Create;
import io.hazelgrad.rref.internal.protocol.Command.HolderLost;
import io.hazelgrad.rref.internal.protocol.Command.Release;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long random lives of RRefs with many holders, over a network that reorders and repeats. What
 * holders believe is kept beside the entry and compared with it at every step.
 */
class RegistryHistoryTest {
  private static final int STEPS = 20_000;
  private static final int HOLDERS = 12;
  private static final long OWNER = 100;

  private final List<Command> network = new ArrayList<>();
  private Random random = new Random();
  private Entry entry = Entry.ABSENT;
  private long lastFork;

  /** Handles that their holders may use and hand on. */
  private Map<ForkId, Long> usable = new HashMap<>();

  /** Children on their way, with their parents, which are pinned until the claim is answered. */
  private final Map<ForkId, ForkId> pins = new HashMap<>();

  private int shares;
  private int rrefs;
  private int largest;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void registryNeitherLeaksNorDropsInAnyOrder(long seed) {
    random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      if (usable.isEmpty() && network.isEmpty()) {
        finish();
        begin();
      }
      if (network.size() < 20 && random.nextInt(3) > 0) {
        send();
      } else {
        receive();
      }
    }
    finish();
    System.out.printf("seed %d: %d RRefs, up to %d forks%n", seed, rrefs, largest);
    assertThat(rrefs).isGreaterThan(20);
  }

  private void begin() {
    rrefs++;
    shares = random.nextInt(400);
    ForkId first = ForkId.of(1, ++lastFork);
    usable.put(first, 1L);
    network.add(new Create(OWNER, first, 1));
    network.add(new Resolve(OWNER, RRefState.FAILED, null, first, 1));
  }

  /** Somebody hands a handle on, closes one, or dies. */
  private void send() {
    if (usable.isEmpty()) {
      return;
    }
    List<ForkId> handles = usable.keySet().stream().sorted().toList();
    ForkId handle = handles.get(random.nextInt(handles.size()));
    int choice = random.nextInt(100);
    if (choice < 60 && shares-- > 0) {
      ForkId child = ForkId.of(usable.get(handle), ++lastFork);
      pins.put(child, handle);
      network.add(new Claim(handle, child, 1 + random.nextInt(HOLDERS), OWNER));
    } else if (choice < 98) {
      if (!pins.containsValue(handle)) {
        usable.remove(handle);
        network.add(new Release(handle));
      }
    } else {
      long dead = usable.get(handle);
      usable.values().removeIf(holder -> holder == dead);
      network.add(new HolderLost(dead));
    }
  }

  private void receive() {
    if (network.isEmpty()) {
      return;
    }
    int index = random.nextInt(network.size());
    // One in five comes again, later.
    Command command = random.nextInt(5) == 0 ? network.get(index) : network.remove(index);
    Entry before = entry;
    Registry.Result result = Registry.apply(before, command);
    RegistryExplorationTest.invariants(before, command, result);
    entry = result.entry();
    largest = Math.max(largest, entry.forks().size());
    if (command instanceof Claim claim && pins.remove(claim.child()) != null) {
      answered(claim, result.reply());
    } else if (command instanceof HolderLost lost) {
      usable.values().removeIf(holder -> holder == lost.incarnation());
    }
    // Before the creation, the first handle is no fork yet.
    if (entry.state() != RRefState.ABSENT && entry.state() != RRefState.EXPECTED) {
      assertThat(usable.keySet()).as("after %s", command).allMatch(entry.forks()::contains);
    }
  }

  private void answered(Claim claim, CommandReply reply) {
    if (reply.isOk()) {
      usable.put(claim.child(), claim.holder());
    } else {
      // The parent's holder died. The receiver closes what it could not claim.
      network.add(new Release(claim.child()));
    }
  }

  /** Closes everything, lets everything arrive, and starts over with the next RRef. */
  private void finish() {
    usable.keySet().forEach(handle -> network.add(new Release(handle)));
    while (!network.isEmpty()) {
      Command command = network.remove(random.nextInt(network.size()));
      entry = Registry.apply(entry, command).entry();
      if (command instanceof Claim claim && pins.remove(claim.child()) != null) {
        network.add(new Release(claim.child()));
      }
    }
    // The sweep: a creation or a claim may have come after the news that its holder died.
    for (long holder = 1; holder <= HOLDERS; holder++) {
      entry = Registry.apply(entry, new HolderLost(holder)).entry();
    }
    assertThat(entry.state() == RRefState.ABSENT || entry.mayExpire()).as("%s", entry).isTrue();
    entry = Entry.ABSENT;
    usable = new HashMap<>();
    pins.clear();
  }
}
