package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The computation of a node with operations of the catalogue; inputs may be left out. */
@FunctionalInterface
public interface OnnxKernel {
  List<Variable> run(@Nullable Variable... inputs);

  /** A computation with one output. */
  @FunctionalInterface
  interface Single {
    Variable run(@Nullable Variable... inputs);
  }

  static OnnxKernel of(Single single) {
    return inputs -> List.of(single.run(inputs));
  }

  /**
   * An operator of ONNX.
   *
   * @param least the smallest number of inputs
   * @param most the largest number of inputs
   * @param outputs the largest number of outputs
   * @param compiler checks a node and returns its computation
   */
  record Operator(int least, int most, int outputs, Function<OnnxNode, OnnxKernel> compiler) {
    static Operator of(int least, int most, Function<OnnxNode, Single> compiler) {
      return new Operator(least, most, 1, node -> OnnxKernel.of(compiler.apply(node)));
    }

    static Operator of(int inputs, Function<OnnxNode, Single> compiler) {
      return of(inputs, inputs, compiler);
    }

    /** Returns an operator that is one operation of the catalogue, without attributes. */
    static Operator named(int inputs, String operation) {
      return of(inputs, node -> x -> apply(operation, Attributes.none(), node, x));
    }
  }

  /** Applies an operation to inputs that must all be there. */
  static Variable apply(
      String operation, Attributes attributes, OnnxNode node, @Nullable Variable... x) {
    Variable[] all = new Variable[x.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = node.required(i, x);
    }
    return Variable.apply(operation, attributes, all);
  }
}
