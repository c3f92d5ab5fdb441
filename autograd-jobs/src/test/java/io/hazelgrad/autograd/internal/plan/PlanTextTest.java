package io.hazelgrad.autograd.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plans as text and as graphs, for people to read. */
class PlanTextTest {
  private final Forward forward = new Forward();

  @Test
  void tableHasLineForEachMessage() {
    MessageId reply = forward.call(1, 2, forward.call(1, 3));
    Plan plan = forward.plan(1, reply).withNames(Map.of(1L, "A", 2L, "B"));
    assertThat(plan.toString().lines())
        .containsExactly(
            "backward from worker A: 4 messages in 4 waves, workers A, B, 3",
            "wave 1   A -> B, message 2/1, 1 tensor",
            "wave 2   B -> A, message 1/2, 1 tensor",
            "wave 3   A -> 3, message 3/1, 1 tensor",
            "wave 4   3 -> A, message 1/1, 1 tensor");
  }

  @Test
  void messagesOfOneWaveStandTogether() {
    MessageId left = forward.send(2, 1);
    MessageId right = forward.send(3, 1);
    assertThat(forward.plan(1, left, right).toString().lines())
        .containsExactly(
            "backward from worker 1: 2 messages in 1 wave, workers 1, 2, 3",
            "wave 1   1 -> 2, message 2/1, 1 tensor",
            "         1 -> 3, message 3/1, 1 tensor");
  }

  @Test
  void graphHasWavesWorkersAndMessages() {
    Plan plan = forward.plan(1, forward.call(1, 2)).withNames(Map.of(1L, "A", 2L, "B"));
    assertThat(plan.toDot().lines())
        .containsExactly(
            "digraph backward {",
            "  rankdir=LR;",
            "  node [shape=box];",
            "  subgraph cluster_0 {",
            "    label=\"roots\";",
            "    \"0:1\" [label=\"A\"];",
            "  }",
            "  subgraph cluster_1 {",
            "    label=\"wave 1\";",
            "    \"1:2\" [label=\"B\"];",
            "  }",
            "  subgraph cluster_2 {",
            "    label=\"wave 2\";",
            "    \"2:1\" [label=\"A\"];",
            "  }",
            "  \"0:1\" -> \"1:2\" [label=\"message 2/1, 1 tensor\"];",
            "  \"1:2\" -> \"2:1\" [label=\"message 1/1, 1 tensor\"];",
            "}");
  }

  @Test
  void planWithoutMessagesHasItsRootsOnly() {
    Plan plan = forward.plan(7);
    assertThat(plan).hasToString("backward from worker 7: 0 messages in 0 waves, workers 7");
    assertThat(plan.toDot()).contains("\"0:7\"").doesNotContain("->");
  }
}
