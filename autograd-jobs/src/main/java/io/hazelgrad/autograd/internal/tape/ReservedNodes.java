package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.internal.pass.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/** The nodes that an attempt at a pass has taken. Closing gives them back. */
public final class ReservedNodes implements AutoCloseable {
  private final PassKey pass;
  private final boolean alone;
  private final List<Node> nodes = new ArrayList<>();

  /**
   * Prepares to take nodes for a pass.
   *
   * @param alone whether the pass uses them up; then no other pass may have them
   */
  public ReservedNodes(PassKey pass, boolean alone) {
    this.pass = pass;
    this.alone = alone;
  }

  PassKey pass() {
    return pass;
  }

  boolean alone() {
    return alone;
  }

  /**
   * Takes nodes, once.
   *
   * @throws GridException PASS_CONFLICT if another pass has one; then none is taken
   */
  public void take(Iterable<Node> wanted) {
    for (Node node : wanted) {
      if (!node.take(this)) {
        close();
        throw new GridException(
            Status.PASS_CONFLICT,
            node
                + " is in use by another backward pass that has not ended; let passes that overlap"
                + " retain the graph");
      }
      nodes.add(node);
    }
  }

  /** Frees what the nodes had saved. */
  public void free() {
    nodes.forEach(Node::free);
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.giveBack(this));
  }
}
