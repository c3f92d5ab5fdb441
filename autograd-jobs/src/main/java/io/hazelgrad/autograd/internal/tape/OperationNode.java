package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.AnomalyMode;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gradient of one run of an operation. */
public final class OperationNode extends Node {
  private final Operation operation;
  private final List<@Nullable Edge> edges;

  /** Where the operation was called, if its gradients are to be checked; else null. */
  private final @Nullable String place;

  /** What the saved tensors were like, if they are to be checked; else null. */
  private final @Nullable SavedChecksums marks;

  private volatile @Nullable Saved saved;

  public OperationNode(
      Operation operation, Saved saved, List<@Nullable Edge> edges, @Nullable String place) {
    this.operation = operation;
    this.saved = saved;
    this.edges = edges;
    this.place = place;
    this.marks = place == null ? null : SavedChecksums.of(saved.tensors());
  }

  @Override
  int slots() {
    return 1;
  }

  @Override
  List<@Nullable Edge> edges() {
    return edges;
  }

  @Override
  List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    Tensor gradient = gradients.get(0);
    if (gradient == null) {
      return Collections.nCopies(edges.size(), null);
    }
    boolean[] needed = new boolean[edges.size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = edges.get(i) != null;
    }
    Saved kept = requireSaved();
    if (marks != null) {
      marks.check(kept.tensors());
    }
    List<@Nullable Tensor> made = operation.backward(backend, kept, gradient, needed);
    if (place != null) {
      AnomalyMode.check(made);
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
              + " let the earlier one retain the graph");
    }
    return kept;
  }

  @Override
  void requireUsable() {
    requireSaved();
  }

  /** Keeps the node usable where nothing was saved: then there is nothing to free. */
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
