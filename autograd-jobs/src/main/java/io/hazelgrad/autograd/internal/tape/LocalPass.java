package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.pass.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A backward pass within one process and outside any context. */
public final class LocalPass {
  /** Local passes have keys of a worker that does not exist. */
  private static final long NOBODY = -1;

  private static final AtomicLong SEQUENCE = new AtomicLong();

  private LocalPass() {}

  public static Map<LeafNode, Tensor> run(PassRoots roots, boolean retainGraph) {
    GradientEngine engine = new GradientEngine(Variable.BACKEND, List.of(roots.node()));
    for (Node node : engine.nodes()) {
      if (node instanceof RecvNode) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the root depends on "
                + node
                + ", which came from another worker: use"
                + " Context.backward(...)");
      }
    }
    PassKey key = new PassKey(NOBODY, SEQUENCE.incrementAndGet());
    try (ReservedNodes taken = new ReservedNodes(key, !retainGraph)) {
      taken.take(engine.nodes());
      engine.deliver(roots.node(), roots.gradients());
      engine.run(() -> false);
      if (!retainGraph) {
        taken.free();
      }
      return engine.leaves();
    }
  }
}
