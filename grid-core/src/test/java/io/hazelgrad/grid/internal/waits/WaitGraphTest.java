package io.hazelgrad.grid.internal.waits;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.Wait;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Deadlocks in graphs of waits. */
class WaitGraphTest {
  private static final int NODES = 3;
  private static final Comparator<Need> BY_ID = Comparator.comparing(Need::id);

  private static Need need(int node) {
    return new Need("w" + node % 2, "n" + node);
  }

  private static Wait wait(int node, boolean any, List<Need> needs) {
    return new Wait(Wait.Kind.THREAD, "n" + node, "waits", 1, any, needs);
  }

  /**
   * Returns the nodes that never end, by trying: each node that may end is let end first, in turn.
   * The smallest rest is the answer, since a node that can end in some order ends in every order.
   */
  private static Set<Need> neverEnd(Map<Need, Wait> all, Set<Need> left) {
    Set<Need> smallest = left;
    for (Need each : left) {
      Wait wait = all.get(each);
      long blocked = wait.needs().stream().filter(left::contains).count();
      boolean ends =
          wait.needs().isEmpty() || (wait.any() ? blocked < wait.needs().size() : blocked == 0);
      if (ends) {
        Set<Need> rest = new TreeSet<>(BY_ID);
        rest.addAll(left);
        rest.remove(each);
        Set<Need> tried = neverEnd(all, rest);
        smallest = tried.size() < smallest.size() ? tried : smallest;
      }
    }
    return smallest;
  }

  @Test
  void everyGraphOfThreeNodesIsStuckExactlyWhereNoOrderOfEndsHelps() {
    int subsets = 1 << NODES;
    int kinds = 2 * subsets;
    for (int code = 0; code < kinds * kinds * kinds; code++) {
      Map<Need, Wait> all = new LinkedHashMap<>();
      int rest = code;
      for (int node = 0; node < NODES; node++) {
        int kind = rest % kinds;
        rest /= kinds;
        List<Need> needs =
            IntStream.range(0, NODES)
                .filter(it -> ((kind / 2) >> it) % 2 == 1)
                .mapToObj(WaitGraphTest::need)
                .toList();
        all.put(need(node), wait(node, kind % 2 == 1, needs));
      }
      WaitGraph graph = new WaitGraph(all);
      Set<Need> expected = neverEnd(all, all.keySet());
      List<Need> stuck = all.keySet().stream().filter(graph::isStuck).toList();
      assertThat(stuck).as("%s", all).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(graph.cycles().isEmpty()).as("%s", all).isEqualTo(expected.isEmpty());
      for (List<Need> cycle : graph.cycles()) {
        for (int i = 0; i < cycle.size(); i++) {
          Need next = cycle.get((i + 1) % cycle.size());
          assertThat(all.get(cycle.get(i)).needs()).as("%s", all).contains(next);
          assertThat(expected).contains(cycle.get(i));
        }
      }
    }
  }

  @Test
  void needThatNobodyReportsGoesOn() {
    Map<Need, Wait> all = new LinkedHashMap<>();
    all.put(need(0), wait(0, false, List.of(need(1), new Need("silent", "call 1-1"))));
    all.put(need(1), wait(1, true, List.of(need(0), new Need("silent", "call 1-2"))));
    assertThat(new WaitGraph(all).cycles()).isEmpty();
  }

  @Test
  void waitsBehindCycleAreStuckButNotPartOfIt() {
    Map<Need, Wait> all = new LinkedHashMap<>();
    all.put(need(0), wait(0, false, List.of(need(1))));
    all.put(need(1), wait(1, false, List.of(need(2))));
    all.put(need(2), wait(2, false, List.of(need(1))));
    WaitGraph graph = new WaitGraph(all);
    assertThat(graph.cycles()).containsExactly(List.of(need(1), need(2)));
    assertThat(graph.isStuck(need(0))).isTrue();
    assertThat(graph.roots()).containsExactly(need(0));
    assertThat(graph.chain(need(0))).isEqualTo(new ArrayList<>(List.of(need(0), need(1), need(2))));
  }
}
