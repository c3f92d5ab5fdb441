package io.hazelgrad.rref;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.internal.protocol.EntrySpace;
import io.hazelgrad.rref.internal.protocol.LongSet;
import io.hazelgrad.rref.internal.protocol.SmallGrid;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Faults;
import io.hazelgrad.rref.internal.protocol.SmallGrid.Plan;
import io.hazelgrad.rref.internal.protocol.SmallGridChecks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every schedule of a small grid: three holders on three levels of forks, with senders, retries and
 * reconciliation; crashes of a holder and of the owner, losses, copies and delays in every place.
 */
class EveryScheduleTest {
  private static final int SCHEDULES =
      Boolean.getBoolean("hazelgrad.tests.full") ? 100_000 : 10_000;

  /** A step of the path that is being explored, and what else may follow it. */
  private record Frame(SmallGrid.Next next, Iterator<SmallGrid.Next> rest) {}

  @Test
  void registryIsExactInEverySchedule() {
    assertThat(explore(new Plan(true, true), new Faults(1, 1, 1, 1))).isGreaterThan(1_000_000);
  }

  /** Faults of messages and crashes, but not both in one schedule. */
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false"})
  void registryIsExactInEveryScheduleWithFewerFaults(boolean firstInReply, boolean secondInReply) {
    Plan plan = new Plan(firstInReply, secondInReply);

    assertThat(explore(plan, new Faults(1, 1, 0, 0))).isGreaterThan(150_000);
    assertThat(explore(plan, new Faults(0, 0, 1, 1))).isGreaterThan(50_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false"})
  void registryIsExactInEveryScheduleOfTheOtherPlans(boolean firstInReply, boolean secondInReply) {
    Plan plan = new Plan(firstInReply, secondInReply);

    assertThat(explore(plan, new Faults(1, 1, 1, 1))).isGreaterThan(1_000_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void registryIsExactInEveryScheduleWithMoreFaults(boolean firstInReply, boolean secondInReply) {
    Plan plan = new Plan(firstInReply, secondInReply);

    assertThat(explore(plan, new Faults(2, 1, 1, 2))).isGreaterThan(3_000_000);
    assertThat(explore(plan, new Faults(1, 2, 1, 2))).isGreaterThan(3_000_000);
  }

  /** Far more faults than can be explored. To run one again, set {@code hazelgrad.seed}. */
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void registryIsExactInRandomSchedulesWithManyFaults(boolean firstInReply, boolean secondInReply) {
    long seed = Long.getLong("hazelgrad.seed", System.nanoTime());
    Plan plan = new Plan(firstInReply, secondInReply);
    System.out.printf("%s, %,d schedules, seed %d%n", plan, SCHEDULES, seed);
    Random random = new Random(seed);
    for (int i = 0; i < SCHEDULES; i++) {
      walk(new SmallGrid(new EntrySpace(), plan, new Faults(8, 8, 1, 3)), random, seed);
    }
  }

  private static void walk(SmallGrid start, Random random, long seed) {
    Deque<Frame> path = new ArrayDeque<>();
    SmallGrid grid = start;
    try {
      List<SmallGrid.Next> choices = grid.next();
      while (!choices.isEmpty()) {
        SmallGrid.Next next = choices.get(random.nextInt(choices.size()));
        grid = next.after();
        path.push(new Frame(next, List.<SmallGrid.Next>of().iterator()));
        SmallGridChecks.always(grid);
        choices = grid.next();
      }
      SmallGridChecks.atTheEnd(grid);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + story(path), e);
    }
  }

  /** Goes through all states, depth first; returns how many there are. */
  private static int explore(Plan plan, Faults faults) {
    EntrySpace entries = new EntrySpace();
    LongSet seen = new LongSet();
    int ends = 0;
    Deque<Frame> path = new ArrayDeque<>();
    SmallGrid start = new SmallGrid(entries, plan, faults);
    path.push(new Frame(new SmallGrid.Next("start", start), start.next().iterator()));
    try {
      while (!path.isEmpty()) {
        Iterator<SmallGrid.Next> rest = path.element().rest();
        if (!rest.hasNext()) {
          path.pop();
          continue;
        }
        SmallGrid.Next next = rest.next();
        if (!seen.add(next.after().fingerprint())) {
          continue;
        }
        List<SmallGrid.Next> following = new ArrayList<>();
        path.push(new Frame(next, following.iterator()));
        SmallGridChecks.always(next.after());
        following = next.after().next();
        if (following.isEmpty()) {
          SmallGridChecks.atTheEnd(next.after());
          ends++;
        }
        path.pop();
        path.push(new Frame(next, following.iterator()));
      }
    } catch (AssertionError e) {
      throw new AssertionError(story(path), e);
    }
    System.out.printf(
        "%s, %s: %,d states, %,d ends, %,d entries%n",
        plan, faults, seen.size(), ends, entries.size());
    return seen.size();
  }

  private static String story(Deque<Frame> path) {
    StringBuilder story = new StringBuilder();
    path.descendingIterator()
        .forEachRemaining(frame -> story.append("\n  ").append(frame.next().step()));
    return story.append("\nended in ").append(path.element().next().after()).toString();
  }
}
