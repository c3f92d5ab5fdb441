package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The node of one run of an operation. */
final class OperationNode extends Node {
  private final Operation operation;
  private final List<@Nullable Edge> edges;

  /** The call of the operation in the program, if its gradients are checked; otherwise null. */
  private final @Nullable String place;

  /** The checksums of the saved tensors, if they are checked; otherwise null. */
  private final long @Nullable [] checksums;

  private volatile @Nullable Saved saved;

  OperationNode(
      Operation operation, Saved saved, List<@Nullable Edge> edges, @Nullable String place) {
    this.operation = operation;
    this.saved = saved;
    this.edges = edges;
    this.place = place;
    this.checksums = place == null ? null : AnomalyChecks.checksums(saved.tensors());
  }

  @Override
  List<@Nullable Edge> edges() {
    return edges;
  }

  @Override
  List<@Nullable Tensor> backward(List<@Nullable Tensor> gradients) {
    Tensor gradient = gradients.get(0);
    if (gradient == null) {
      return Collections.nCopies(edges.size(), null);
    }
    boolean[] needed = new boolean[edges.size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = edges.get(i) != null;
    }
    Saved kept = requireSaved();
    if (checksums != null) {
      AnomalyChecks.checkUnchanged(kept.tensors(), checksums);
    }
    List<@Nullable Tensor> made =
        operation.backward(Catalogue.backend(gradient.device()), kept, gradient, needed);
    if (place != null) {
      AnomalyChecks.checkGradients(made);
    }
    return made;
  }

  private Saved requireSaved() {
    Saved kept = saved;
    if (kept == null) {
      throw new GridException(
          Status.GRAPH_FREED,
          "the tensors that "
              + operation.name()
              + " saved were freed by an earlier backward pass;"
              + " run the earlier pass with retainGraph=true");
    }
    return kept;
  }

  @Override
  void requireUsable() {
    requireSaved();
  }

  /** Frees the saved tensors. Without any the node stays usable: there is nothing to free. */
  @Override
  void free() {
    Saved kept = saved;
    if (kept != null && !kept.tensors().isEmpty()) {
      saved = null;
    }
  }

  @Override
  public String toString() {
    return place == null ? operation.name() : operation.name() + ", called " + place + ",";
  }
}
