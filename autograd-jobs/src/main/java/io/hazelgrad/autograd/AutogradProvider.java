package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ServiceLoader;

/** The implementation behind {@link Variable}, found as a service. Not for applications. */
public interface AutogradProvider {
  /** Creates a variable that needs no gradient. */
  Variable constant(Tensor value);

  /** Creates a leaf that needs a gradient. */
  Variable leaf(Tensor value);

  /** Applies an operation of the catalogue. */
  Outputs apply(String operation, Attributes attributes, Variable... inputs);

  /** The one provider; loaded with the first variable. */
  final class Holder {
    static final AutogradProvider PROVIDER =
        ServiceLoader.load(AutogradProvider.class, AutogradProvider.class.getClassLoader())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "META-INF/services/"
                            + AutogradProvider.class.getName()
                            + " is missing on the class path; a repackaged jar must keep it"));

    private Holder() {}
  }
}
