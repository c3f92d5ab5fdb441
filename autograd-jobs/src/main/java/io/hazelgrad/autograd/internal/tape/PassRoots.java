package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checked roots of a pass: their node, and their gradients, which are all ones. */
public record PassRoots(RootsNode node, List<@Nullable Tensor> gradients) {
  public static PassRoots of(Variable... roots) {
    if (roots.length == 0) {
      throw bad("no roots were given for backward");
    }
    List<@Nullable Edge> edges = new ArrayList<>(roots.length);
    List<@Nullable Tensor> gradients = new ArrayList<>(roots.length);
    for (Variable root : roots) {
      Tensor value = root.value();
      if (!root.requiresGrad()) {
        throw bad("root " + root + " needs no gradient");
      }
      if (value.size() != 1) {
        throw bad(
            "a root must be a scalar: shape="
                + Arrays.toString(value.shape())
                + "; sum or average it first");
      }
      edges.add(TapeVariable.edge(root));
      gradients.add(Tensor.full(value.dtype(), 1, value.shape()).to(value.device()));
    }
    return new PassRoots(new RootsNode(edges), gradients);
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
