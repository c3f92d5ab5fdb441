package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.function.BiFunction;

/** An element-wise operation of one input, defined by a formula and a derivative. */
final class Pointwise extends AbstractOperation {
  /** The accepted element types and the type of the results. */
  enum Domain {
    /** All types; integers and booleans become FLOAT32. */
    ANY,
    /** All but booleans; the type stays. */
    NUMBERS,
    /** Floating-point only. */
    FLOATS
  }

  /** The tensor that the derivative is computed from. */
  enum Needs {
    NOTHING,
    INPUT,
    OUTPUT
  }

  /** Computes the gradient of the input from that of the output and what it {@link Needs}. */
  interface Derivative {
    Term apply(Term gradient, Term kept, Attributes attributes);
  }

  private final Domain domain;
  private final BiFunction<Term, Attributes, Term> formula;
  private final Needs needs;
  private final Derivative derivative;
  private final List<String> numbers;

  /** Creates the operation; its attributes are numbers. */
  Pointwise(
      String name,
      Domain domain,
      BiFunction<Term, Attributes, Term> formula,
      Needs needs,
      Derivative derivative,
      String... attributes) {
    super(name, 1, 1, attributes);
    this.domain = domain;
    this.formula = formula;
    this.needs = needs;
    this.derivative = derivative;
    this.numbers = List.of(attributes);
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType input = inputs.get(0);
    if (domain == Domain.NUMBERS && input.dtype() == DType.BOOL) {
      throw bad("does not take booleans: " + inputs);
    }
    if (domain == Domain.FLOATS) {
      requireFloats(input);
    }
    for (String number : numbers) {
      double unused = attributes.number(name(), number, 0);
    }
    return new TensorType(name(), dtype(input.dtype()), input.shape());
  }

  private DType dtype(DType input) {
    return domain == Domain.ANY ? Promotion.floating(input) : input;
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor x = inputs.get(0);
    Tensor output = formula.apply(new Term(backend, x.to(dtype(x.dtype()))), attributes).tensor();
    return switch (needs) {
      case NOTHING -> Computed.of(output);
      case INPUT -> Computed.of(output, x);
      case OUTPUT -> Computed.of(output, output);
    };
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    Term gradient = new Term(backend, gradOutput);
    Term kept = needs == Needs.NOTHING ? gradient : gradient.of(saved.tensors().get(0));
    return derivative.apply(gradient, kept, saved.attributes()).tensor();
  }
}
