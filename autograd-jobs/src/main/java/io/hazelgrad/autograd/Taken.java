package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/** The nodes that an attempt at a pass has taken. Closing gives them back. */
final class Taken implements AutoCloseable {
  private final PassKey pass;
  private final boolean alone;
  private final List<Node> nodes = new ArrayList<>();

  private Taken(PassKey pass, boolean alone) {
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
   * Takes nodes for a pass.
   *
   * @param alone whether the pass uses them up; then no other pass may have them
   * @throws GridException PASS_CONFLICT if another pass has one; then none is taken
   */
  static Taken all(Iterable<Node> nodes, PassKey pass, boolean alone) {
    Taken taken = new Taken(pass, alone);
    for (Node node : nodes) {
      if (!node.take(taken)) {
        taken.close();
        throw new GridException(
            Status.PASS_CONFLICT,
            node
                + " is in use by another backward pass that has not ended; let passes that overlap"
                + " retain the graph");
      }
      taken.nodes.add(node);
    }
    return taken;
  }

  /** Frees what the nodes had saved. */
  void free() {
    nodes.forEach(Node::free);
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.giveBack(this));
  }
}
