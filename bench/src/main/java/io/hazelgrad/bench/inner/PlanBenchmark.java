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

/** Measures the planning of a backward pass at a worker that knows the graph. */
@State(Scope.Thread)
public class PlanBenchmark {
  private static final long CALLER = 1;
  private static final long CALLEE = 2;

  /** The number of calls of the forward pass; each takes the result of the one before. */
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

  /** Plans the pass. */
  @Benchmark
  public Object plan() {
    return Planner.step(CALLER, roots, graph);
  }
}
