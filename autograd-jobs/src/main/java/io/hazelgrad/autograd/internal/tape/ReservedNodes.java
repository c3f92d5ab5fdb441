package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/** The nodes that an attempt at a pass has reserved. Closing releases them. */
public final class ReservedNodes implements AutoCloseable {
  private final PassKey pass;
  private final boolean isExclusive;
  private final List<Node> nodes = new ArrayList<>();

  /** Prepares; an exclusive pass frees the graph, so no other pass may reserve its nodes. */
  public ReservedNodes(PassKey pass, boolean isExclusive) {
    this.pass = pass;
    this.isExclusive = isExclusive;
  }

  PassKey pass() {
    return pass;
  }

  boolean isExclusive() {
    return isExclusive;
  }

  /** Reserves nodes, once; PASS_CONFLICT if another pass has one, and then none is reserved. */
  public void reserve(Iterable<Node> wanted) {
    for (Node node : wanted) {
      if (!node.reserve(this)) {
        close();
        throw new GridException(
            Status.PASS_CONFLICT,
            node
                + " is in use by another backward pass that has not ended; run overlapping passes with"
                + " retainGraph=true");
      }
      nodes.add(node);
    }
  }

  public void free() {
    nodes.forEach(Node::free);
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.release(this));
  }
}
