package io.hazelgrad.bench.inner;

import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageGraph;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.Planner;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What planning a backward pass costs at a worker that knows the graph. */
@State(Scope.Thread)
public class PlanBenchmark {
  private static final long CALLER = 1;
  private static final long CALLEE = 2;

  /** How many calls the forward pass made, each on the last one's result. */
  @Param({"1", "10", "100"})
  public int calls;

  private final MessageGraph graph = new MessageGraph();
  private List<MessageId> roots = List.of();

  /** Records the calls. */
  @Setup
  public void prepare() {
    for (int i = 1; i <= calls; i++) {
      MessageId request = new MessageId(CALLER, i);
      MessageId reply = new MessageId(CALLEE, i);
      graph.add(new MessageDescriptor(request, CALLEE, 1, roots));
      graph.add(new MessageDescriptor(reply, CALLER, 1, List.of(request)));
      roots = List.of(reply);
    }
  }

  /** Plans. */
  @Benchmark
  public Object plan() {
    return Planner.step(CALLER, roots, graph);
  }
}
