package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.AnomalyMode;
import io.hazelgrad.autograd.AutogradProvider;
import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Outputs;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Forward;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates the variables of the API, and records the operations on them. */
public final class TapeProvider implements AutogradProvider {
  @Override
  public Variable constant(Tensor value) {
    return new TapeVariable(value, null);
  }

  @Override
  public Variable leaf(Tensor value) {
    return new TapeVariable(value);
  }

  @Override
  public Outputs apply(String operation, Attributes attributes, Variable... inputs) {
    Operation found = Catalogue.get(operation);
    List<Tensor> tensors = new ArrayList<>(inputs.length);
    for (Variable input : inputs) {
      tensors.add(input.value());
    }
    Device device = tensors.isEmpty() ? Device.CPU : tensors.get(0).device();
    Forward forward = found.forward(Catalogue.backend(device), tensors, attributes);
    String place = AnomalyMode.isActive() ? AnomalyChecks.place() : null;
    if (place != null) {
      AnomalyChecks.checkOutput(operation, place, forward.output());
    }
    List<@Nullable Edge> edges = new ArrayList<>(inputs.length);
    boolean recorded = !NoGrad.isActive();
    boolean needed = false;
    for (int i = 0; i < inputs.length; i++) {
      boolean here = recorded && inputs[i].requiresGrad() && found.differentiable(i);
      edges.add(here ? TapeVariable.edge(inputs[i]) : null);
      needed |= here;
    }
    if (!needed || !forward.output().dtype().isFloating()) {
      return new Outputs(constant(forward.output()), forward.more());
    }
    Node node = new OperationNode(found, forward.saved(), edges, place);
    return new Outputs(TapeVariable.computed(forward.output(), node, 0), forward.more());
  }
}
