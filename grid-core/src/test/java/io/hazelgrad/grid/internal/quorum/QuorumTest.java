package io.hazelgrad.grid.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who may go on after splits, losses and merges, over all small clusters. */
class QuorumTest {
  private static final int LARGEST = Boolean.getBoolean("hazelgrad.tests.full") ? 6 : 5;

  /** Processes a, b, c and so on, and which of them see each other. */
  private static final class World {
    final Map<String, Quorum> members = new LinkedHashMap<>();
    final List<List<String>> sides = new ArrayList<>();

    World(String names) {
      for (String name : letters(names)) {
        members.put(name, new Quorum(id(name), 1));
        see(name);
        if (sides.size() > 1) {
          merge(0, sides.size() - 1);
        }
      }
    }

    static UUID id(String name) {
      return new UUID(0, name.charAt(0));
    }

    private void see(String... side) {
      sides.add(new ArrayList<>(Arrays.asList(side)));
      view(sides.get(sides.size() - 1));
    }

    /** Lets all members of a side see it, and tell each other until nothing is new. */
    private void view(List<String> side) {
      side.forEach(name -> members.get(name).see(ids(side)));
      for (int round = 0; round < 3; round++) {
        for (String from : side) {
          for (String to : side) {
            members.get(to).hear(members.get(from).report());
          }
        }
      }
    }

    private static List<UUID> ids(List<String> side) {
      return side.stream().map(World::id).toList();
    }

    Report report(String name) {
      return members.get(name).report();
    }

    /** Splits what is one side into several, the oldest first in each. */
    void split(String... parts) {
      sides.clear();
      for (String part : parts) {
        see(letters(part).toArray(String[]::new));
      }
    }

    /** The second side enters the first one. */
    void merge(int into, int from) {
      List<String> side = sides.get(into);
      List<String> coming = sides.remove(from);
      coming.forEach(name -> members.get(name).separate());
      side.addAll(coming);
      view(side);
    }

    void kill(String name) {
      members.remove(name);
      sides.forEach(side -> side.remove(name));
      sides.removeIf(List::isEmpty);
      sides.forEach(this::view);
    }

    /** A process starts anew at the address of a dead one, and enters a side. Returns its name. */
    String restart(String name, int into) {
      String fresh = name.toUpperCase(Locale.ROOT);
      members.put(fresh, new Quorum(id(fresh), 1));
      List<String> side = sides.get(into);
      side.add(fresh);
      side.stream().filter(it -> !it.equals(fresh)).forEach(it -> members.get(it).died(id(name)));
      view(side);
      return fresh;
    }

    /** Returns how many sides have somebody that holds the quorum. */
    long sidesThatHold() {
      String held = held();
      return sides.stream().filter(side -> side.stream().anyMatch(held::contains)).count();
    }

    void leave(String name) {
      members.values().forEach(member -> member.leaves(id(name)));
      kill(name);
    }

    /** Returns those that hold the quorum, in the order of their ages. */
    String held() {
      StringBuilder held = new StringBuilder();
      members.forEach((name, member) -> held.append(member.isHeld() ? name : ""));
      return held.toString();
    }
  }

  private static List<String> letters(String names) {
    return names.chars().mapToObj(Character::toString).toList();
  }

  private static World world(String names) {
    World world = new World(names);
    assertThat(world.held()).isEqualTo(names);
    return world;
  }

  @Test
  void majorityContinues() {
    World world = world("abc");
    world.split("a", "bc");
    assertThat(world.held()).isEqualTo("bc");
  }

  @Test
  void sideWithOldestContinuesWhenSidesAreEqual() {
    World world = world("abcd");
    world.split("bc", "ad");
    assertThat(world.held()).isEqualTo("ad");
  }

  @Test
  void olderOfTwoContinues() {
    World older = world("ab");
    older.kill("b");
    assertThat(older.held()).isEqualTo("a");
    World younger = world("ab");
    younger.kill("a");
    assertThat(younger.held()).isEmpty();
  }

  @Test
  void memberIsNotMissingWhenItLeaves() {
    World world = world("ab");
    world.leave("a");
    assertThat(world.held()).isEqualTo("b");
  }

  @Test
  void oldestContinuesAfterLossesInTurn() {
    World world = world("abcde");
    world.kill("c");
    world.kill("d");
    assertThat(world.held()).isEqualTo("abe");
    world.kill("e");
    world.kill("b");
    assertThat(world.held()).isEqualTo("a");
  }

  @Test
  void membersFoundGridTogetherWhenTheyMeetFirst() {
    Quorum a = new Quorum(World.id("a"), 1);
    Quorum b = new Quorum(World.id("b"), 1);
    List<UUID> both = World.ids(List.of("a", "b"));
    a.see(both);
    b.see(both);
    assertThat(a.isHeld()).isFalse();
    a.hear(b.report());
    b.hear(a.report());
    assertThat(a.isHeld()).isTrue();
    assertThat(b.isHeld()).isTrue();
    assertThat(b.agreement()).isEqualTo(a.agreement());
  }

  @Test
  void memberIsAdmittedAgainAfterCut() {
    World world = world("abcd");
    world.split("ab", "cd");
    assertThat(world.held()).isEqualTo("ab");
    world.merge(0, 1);
    assertThat(world.held()).isEqualTo("abcd");
    world.kill("a");
    assertThat(world.held()).isEqualTo("bcd");
  }

  @Test
  void membersFormQuorumAfterSplitIntoMany() {
    World world = world("abc");
    world.split("a", "b", "c");
    assertThat(world.held()).isEmpty();
    world.merge(0, 1);
    assertThat(world.held()).isEqualTo("ab");
    world.merge(0, 1);
    assertThat(world.held()).isEqualTo("abc");
  }

  @Test
  void restartedProcessDoesNotVoteForItsPredecessor() {
    World world = world("abc");
    world.split("ab", "c");
    world.kill("b");
    assertThat(world.held()).isEqualTo("a");
    // b comes back without memory, and meets only c, which has missed all that.
    Quorum fresh = new Quorum(World.id("x"), 1);
    world.members.put("x", fresh);
    world.sides.add(new ArrayList<>(List.of("x")));
    world.merge(1, 2);
    assertThat(world.held()).isEqualTo("a");
  }

  @Test
  void gridContinuesWhenStrangerHasOldView() {
    World old = world("abcdef");
    old.split("abcde", "f");
    Quorum stranger = old.members.get("f");
    assertThat(stranger.agreement().epoch()).isGreaterThan(1);
    World healthy = world("g");
    healthy.members.put("f", stranger);
    healthy.sides.add(new ArrayList<>(List.of("f")));
    healthy.merge(0, 1);
    assertThat(healthy.held()).isEqualTo("gf");
  }

  @Test
  void confirmedViewBinds() {
    World world = world("abc");
    // c dies; b confirms {a, b} to a, which agrees on it, but b does not hear that.
    Quorum a = world.members.get("a");
    Quorum b = world.members.get("b");
    Quorum c = world.members.get("c");
    a.see(World.ids(List.of("a", "b")));
    b.see(World.ids(List.of("a", "b")));
    a.hear(b.report());
    a.see(World.ids(List.of("a")));
    assertThat(a.isHeld()).isTrue();
    // Then b meets c again: two of the three that b knows to be agreed on, and yet not enough.
    b.see(World.ids(List.of("b", "c")));
    c.see(World.ids(List.of("b", "c")));
    c.hear(b.report());
    b.hear(c.report());
    assertThat(b.isHeld()).isFalse();
  }

  /**
   * Splits every cluster of up to five, or six, in every way, then one side again, in every way.
   */
  @Test
  void twoSidesNeverContinue() {
    int looked = 0;
    for (int size = 2; size <= LARGEST; size++) {
      String names = "abcdef".substring(0, size);
      for (int first = 1; first < 1 << size; first++) {
        for (int second = 1; second < 1 << size; second++) {
          World world = world(names);
          world.split(parts(names, first));
          world.split(
              world.sides.stream()
                  .map(side -> String.join("", side))
                  .flatMap(splitBy(names, second))
                  .toArray(String[]::new));
          String held = world.held();
          long sides =
              world.sides.stream().filter(side -> side.stream().anyMatch(held::contains)).count();
          assertThat(sides).as("%s: %s of %s", names, held, world.sides).isLessThanOrEqualTo(1);
          world.sides.stream()
              .filter(side -> side.stream().anyMatch(held::contains))
              .forEach(side -> assertThat(String.join("", side)).isEqualTo(held));
          assertMergingIsOneWay(world);
          while (world.sides.size() > 1) { // As the healer: those with the quorum take others in.
            int into = Math.max(0, sideOf(world));
            world.merge(into, into == 0 ? 1 : 0);
          }
          assertThat(world.held()).as("healed %s", world.sides).hasSize(size);
          looked++;
        }
      }
    }
    assertThat(looked)
        .isEqualTo(IntStream.rangeClosed(2, LARGEST).map(n -> square((1 << n) - 1)).sum());
  }

  @Test
  void lostMajorityIsRegainedWhenAllLostProcessesAreRestarted() {
    for (String names : List.of("ab", "abc", "abcd", "abcde")) {
      for (String survivor : letters(names)) {
        World world = world(names);
        List<String> lost = letters(names.replace(survivor, ""));
        world.split(Stream.concat(Stream.of(survivor), lost.stream()).toArray(String[]::new));
        lost.forEach(world::kill);
        List<String> restarted = lost.stream().map(name -> world.restart(name, 0)).toList();
        assertThat(world.held())
            .as("%s and %s", survivor, restarted)
            .isEqualTo(survivor + String.join("", restarted));
      }
    }
  }

  @Test
  void fewDeadOfManyMissedRegainNothing() {
    World world = world("abcde");
    world.split("ab", "cde");
    world.kill("c");
    assertThat(world.held()).isEqualTo("de");
    world.restart("c", 0);
    assertThat(world.held()).as("d and e may live").isEqualTo("de");
  }

  /**
   * Splits clusters in every way, kills some in every way, and restarts each of them in each side
   * or not at all; once after all deaths, once each before the next death.
   */
  @Test
  void twoSidesNeverContinueWhenProcessesAreRestarted() {
    for (int size = 2; size < LARGEST; size++) {
      String names = "abcdef".substring(0, size);
      for (int cut = 1; cut < (1 << size); cut++) {
        for (int choice = 0; choice < (1 << (2 * size)); choice++) { // Two bits for each process.
          restartSome(names, cut, choice, true);
          restartSome(names, cut, choice, false);
        }
      }
    }
  }

  private static void restartSome(String names, int cut, int choice, boolean inTurn) {
    World world = world(names);
    world.split(parts(names, cut));
    for (int turn = 0; turn < (inTurn ? 1 : 2); turn++) {
      for (int i = 0; i < names.length(); i++) {
        String name = names.substring(i, i + 1);
        int fate = (choice >> (2 * i)) & 3; // Lives, is dead, restarts on the first or second side.
        if (fate != 0 && turn == 0) {
          world.kill(name);
        }
        if (fate - 2 >= 0 && fate - 2 < world.sides.size() && (inTurn || turn == 1)) {
          world.restart(name, fate - 2);
        }
        if (world.sidesThatHold() > 1) { // Not an assertion each time: there are many.
          fail("%s, sides %s, fates %s: held by %s", names, world.sides, choice, world.held());
        }
      }
    }
  }

  @Test
  void fewerThanFoundingSizeBeginNoGrid() {
    Quorum a = new Quorum(World.id("a"), 2);
    a.see(World.ids(List.of("a")));
    assertThat(a.isHeld()).isFalse();
    Quorum b = new Quorum(World.id("b"), 2);
    a.see(World.ids(List.of("a", "b")));
    b.see(World.ids(List.of("a", "b")));
    a.hear(b.report());
    b.hear(a.report());
    assertThat(a.isHeld()).isTrue();
    a.see(World.ids(List.of("a")));
    assertThat(a.isHeld()).as("a grid once begun goes on by its rules").isTrue();
  }

  private static int square(int n) {
    return n * n;
  }

  /** Returns the place of the side that holds the quorum, or else of that with the oldest. */
  private static int sideOf(World world) {
    for (int i = 0; i < world.sides.size(); i++) {
      if (world.sides.get(i).stream().anyMatch(world.held()::contains)) {
        return i;
      }
    }
    return IntStream.range(0, world.sides.size())
        .filter(i -> world.sides.get(i).contains("a"))
        .findFirst()
        .orElse(-1);
  }

  private static java.util.function.Function<String, Stream<String>> splitBy(
      String names, int mask) {
    return side -> {
      StringBuilder in = new StringBuilder();
      StringBuilder out = new StringBuilder();
      for (String name : letters(side)) {
        boolean chosen = (mask & 1 << names.indexOf(name)) != 0;
        (chosen ? in : out).append(name);
      }
      return Stream.of(in.toString(), out.toString()).filter(part -> !part.isEmpty());
    };
  }

  private static String[] parts(String names, int mask) {
    return splitBy(names, mask).apply(names).toArray(String[]::new);
  }

  @Test
  void sideWithoutQuorumMerges() {
    World world = new World("abcd");
    world.split("abc", "d");
    assertMerges(world, "d", "a");
    world.split("ab", "c", "d");
    assertMerges(world, "c", "b");
    assertThat(world.report("c").mergesInto(world.report("d"))).isFalse();
  }

  @Test
  void ofTwoGridsTheSmallerMergesThenTheYounger() {
    World old = new World("abc");
    World young = new World("xyz");
    old.split("ab", "c");
    young.split("xyz");
    assertThat(old.report("a").held() && young.report("x").held()).isTrue();
    assertThat(old.report("a").mergesInto(young.report("x"))).isTrue();
    assertThat(young.report("x").mergesInto(old.report("a"))).isFalse();
    old.split("a", "b");
    World fresh = new World("x");
    assertThat(fresh.report("x").mergesInto(old.report("a"))).isTrue();
    assertThat(old.report("a").mergesInto(fresh.report("x"))).isFalse();
  }

  @Test
  void memberWithNewcomerThatStillCountsItDoesNotMerge() {
    World world = new World("ab");
    world.members.get("b").see(World.ids(List.of("b")));
    assertThat(world.report("b").held()).isFalse();
    assertThat(world.report("b").mergesInto(world.report("a"))).isFalse();
  }

  private static void assertMerges(World world, String merges, String stays) {
    assertThat(world.report(merges).mergesInto(world.report(stays))).isTrue();
    assertThat(world.report(stays).mergesInto(world.report(merges))).isFalse();
  }

  /** Of two sides one at most merges, and none that holds the quorum into one without it. */
  private static void assertMergingIsOneWay(World world) {
    for (String one : world.members.keySet()) {
      for (String other : world.members.keySet()) {
        Report here = world.report(one);
        Report there = world.report(other);
        boolean merges = here.mergesInto(there);
        assertThat(merges && (here.held() || there.mergesInto(here)))
            .as("%s merges into %s of %s", one, other, world.sides)
            .isFalse();
        assertThat(merges || here.held() || !there.held())
            .as("%s does not merge into %s of %s", one, other, world.sides)
            .isTrue();
      }
    }
  }
}
