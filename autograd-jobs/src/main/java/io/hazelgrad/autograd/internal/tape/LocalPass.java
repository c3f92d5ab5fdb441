package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Runs a backward pass within one process, without a context. */
final class LocalPass {
  /** The initiator in the keys of local passes: no worker has this id. */
  private static final long NO_WORKER = -1;

  private static final AtomicLong SEQUENCE = new AtomicLong();

  private LocalPass() {}

  static Map<LeafNode, Tensor> run(PassRoots roots, boolean retainGraph) {
    GradientEngine engine = new GradientEngine(List.of(roots.node()));
    for (Node node : engine.nodes()) {
      if (node instanceof RecvNode) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the root depends on "
                + node
                + ", which came from another worker; use Context.backward(...)");
      }
    }
    PassKey key = new PassKey(NO_WORKER, SEQUENCE.incrementAndGet());
    try (ReservedNodes reserved = new ReservedNodes(key, !retainGraph)) {
      reserved.reserve(engine.nodes());
      engine.deliver(roots.node(), roots.gradients());
      engine.run(() -> false);
      if (!retainGraph) {
        reserved.free();
      }
      return engine.leaves();
    }
  }
}
