package io.hazelgrad.autograd.internal.tape;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The start of a pass: passes each root its gradient. */
public final class RootsNode extends RelayNode {
  RootsNode(List<@Nullable Edge> edges) {
    super(edges);
  }

  @Override
  public String toString() {
    return "roots";
  }
}
