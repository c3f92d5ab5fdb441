package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.AutogradProvider;
import io.hazelgrad.autograd.Outputs;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;

/** Creates the variables of the API. */
public final class TapeProvider implements AutogradProvider {
  /** For {@link java.util.ServiceLoader}. */
  public TapeProvider() {}

  @Override
  public Variable constant(Tensor value) {
    return TapeVariable.constant(value);
  }

  @Override
  public Variable leaf(Tensor value) {
    return TapeVariable.leaf(value);
  }

  @Override
  public Outputs apply(String operation, Attributes attributes, Variable... inputs) {
    return TapeVariable.apply(operation, attributes, inputs);
  }
}
