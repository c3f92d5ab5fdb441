package io.hazelgrad.autograd.internal.tape;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GraphWalkTest {
  private static final ContextId CONTEXT = new ContextId(1, 1);

  private static Variable received(ContextId context, int number) {
    return TapeVariable.computed(
        Tensor.scalar(1), new RecvNode(context, new MessageId(9, number), 1), 0);
  }

  private static Edge edge(Variable variable) {
    return Objects.requireNonNull(TapeVariable.edge(variable));
  }

  private static List<Long> numbers(List<RecvNode> nodes) {
    return nodes.stream().map(node -> node.message().sequence()).toList();
  }

  @Test
  void recvNodesAreFoundInOrderOfEdges() {
    Variable a = received(CONTEXT, 1);
    Variable b = received(CONTEXT, 2);
    Variable c = received(CONTEXT, 3);
    Variable left = b.mul(a);
    Variable right = c.add(b);
    assertThat(numbers(GraphWalk.received(List.of(edge(left.add(right))), CONTEXT)))
        .containsExactly(2L, 1L, 3L);
    assertThat(numbers(GraphWalk.received(List.of(edge(right), edge(left)), CONTEXT)))
        .containsExactly(3L, 2L, 1L);
  }

  @Test
  void otherContextsAreLeftOut() {
    Variable sum = received(new ContextId(1, 2), 1).add(received(CONTEXT, 2));
    assertThat(numbers(GraphWalk.received(List.of(edge(sum)), CONTEXT))).containsExactly(2L);
  }

  @Test
  void cachedWalksMatchFreshOnes() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Map<Node, List<RecvNode>> known = new HashMap<>();
      List<Variable> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(received(CONTEXT, i));
        all.add(Variable.parameter(Tensor.zeros(DType.FLOAT64)));
      }
      for (int i = 0; i < 40; i++) {
        all.add(pick(all, random).add(pick(all, random)));
        List<Edge> edges = new ArrayList<>();
        for (int n = random.nextInt(12); n >= 0; n--) {
          edges.add(edge(pick(all, random)));
        }
        assertThat(GraphWalk.received(edges, CONTEXT, known))
            .isEqualTo(GraphWalk.received(edges, CONTEXT));
      }
    }
  }

  private static Variable pick(List<Variable> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  @Test
  void cachedWalksDoNotRepeatLongTape() {
    Map<Node, List<RecvNode>> known = new HashMap<>();
    Variable tape = received(CONTEXT, 1);
    for (int i = 0; i < 20_000; i++) {
      tape = tape.neg();
    }
    for (int i = 0; i < 2_000; i++) { // 40 million nodes, if each walk were a whole one
      tape = tape.neg();
      assertThat(GraphWalk.received(List.of(edge(tape)), CONTEXT, known)).hasSize(1);
    }
    assertThat(known).hasSize(2_000);
  }

  @Test
  void topologicalOrderPutsNodesBeforeTheirTargets() {
    Random random = new Random(1);
    List<Variable> all = new ArrayList<>();
    all.add(Variable.parameter(Tensor.scalar(1)));
    for (int i = 0; i < 300; i++) {
      all.add(pick(all, random).add(pick(all, random)));
    }
    Node start = edge(all.get(all.size() - 1)).node();
    List<Node> order = GraphWalk.topological(List.of(start));
    assertThat(order).doesNotHaveDuplicates().startsWith(start);
    Map<Node, Integer> places = new HashMap<>();
    order.forEach(node -> places.put(node, places.size()));
    for (Node node : order) {
      for (Edge edge : node.edges()) {
        assertThat(places.get(node)).isLessThan(places.get(Objects.requireNonNull(edge).node()));
      }
    }
    assertThat(GraphWalk.topological(List.of(start))).isEqualTo(order);
  }
}
