package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A tensor with the arithmetic of a backend, for readable formulas. Operands are broadcast; they
 * must have one element type. Numbers take the type of the tensor.
 */
public record Term(Backend backend, Tensor tensor) {
  public Term of(Tensor other) {
    return new Term(backend, other);
  }

  /** Returns that number as a scalar of this type. */
  public Term constant(double value) {
    return of(Tensor.full(tensor.dtype(), value));
  }

  public Term apply(Unary function) {
    return of(backend.unary(function, tensor));
  }

  public Term apply(Binary function, Term other) {
    return of(backend.binary(function, tensor, other.tensor));
  }

  public Term apply(Binary function, double other) {
    return apply(function, constant(other));
  }

  public Term plus(Term other) {
    return apply(Binary.ADD, other);
  }

  public Term plus(double other) {
    return apply(Binary.ADD, other);
  }

  public Term minus(Term other) {
    return apply(Binary.SUB, other);
  }

  public Term minus(double other) {
    return apply(Binary.SUB, other);
  }

  public Term times(Term other) {
    return apply(Binary.MUL, other);
  }

  public Term times(double other) {
    return apply(Binary.MUL, other);
  }

  public Term over(Term other) {
    return apply(Binary.DIV, other);
  }

  public Term over(double other) {
    return apply(Binary.DIV, other);
  }

  /** Returns this to that power; to 0.5 by the root, of which negative infinity has none. */
  public Term power(double exponent) {
    if (exponent == 0.5) {
      return sqrt();
    }
    return exponent == -0.5 ? sqrt().reciprocal() : apply(Binary.POW, exponent);
  }

  public Term squared() {
    return times(this);
  }

  public Term cubed() {
    return squared().times(this);
  }

  public Term reciprocal() {
    return constant(1).over(this);
  }

  /** Returns {@code value - this}. */
  public Term from(double value) {
    return constant(value).minus(this);
  }

  public Term negative() {
    return apply(Unary.NEG);
  }

  public Term exp() {
    return apply(Unary.EXP);
  }

  public Term log() {
    return apply(Unary.LOG);
  }

  public Term sqrt() {
    return apply(Unary.SQRT);
  }

  public Term abs() {
    return apply(Unary.ABS);
  }

  public Term sign() {
    return apply(Unary.SIGN);
  }

  public Term sigmoid() {
    return apply(Unary.SIGMOID);
  }

  public Term tanh() {
    return apply(Unary.TANH);
  }

  /** Returns the gradient of the input of tanh, where this is the gradient of its output. */
  public Term tanhGradient(Term output) {
    return apply(Binary.TANH_GRADIENT, output);
  }

  /** Returns the gradient of the input of sigmoid, where this is the gradient of its output. */
  public Term sigmoidGradient(Term output) {
    return apply(Binary.SIGMOID_GRADIENT, output);
  }

  /** Returns 1 where both are equal, else 0. */
  public Term equal(Term other) {
    return apply(Binary.EQUAL, other);
  }

  public Term equal(double other) {
    return apply(Binary.EQUAL, other);
  }

  public Term less(Term other) {
    return apply(Binary.LESS, other);
  }

  public Term less(double other) {
    return apply(Binary.LESS, other);
  }

  public Term atMost(double other) {
    return apply(Binary.LESS_EQUAL, other);
  }

  public Term atLeast(double other) {
    return constant(other).apply(Binary.LESS_EQUAL, this);
  }

  /** Returns 1 where this is NaN, else 0. */
  public Term isNaN() {
    return equal(this).from(1);
  }

  /** Returns {@code a} where this is not 0, else {@code b}. */
  public Term choose(Term a, Term b) {
    return of(backend.select(tensor, a.tensor, b.tensor));
  }

  public Term choose(Term a, double b) {
    return choose(a, a.constant(b));
  }

  public Term choose(double a, Term b) {
    return choose(b.constant(a), b);
  }

  /** Reduces dimensions, which keep extent 1. */
  public Term reduce(Reduction reduction, int... dims) {
    return of(backend.reduce(reduction, tensor, dims));
  }

  public Term sum(int... dims) {
    return reduce(Reduction.SUM, dims);
  }

  /** Returns the sum of all elements as a scalar. */
  public Term sumAll() {
    return sum(ShapeRules.allDims(tensor.rank())).reshape();
  }

  public Term mean(int... dims) {
    return sum(dims).over(count(dims));
  }

  /** Returns how many elements the dimensions have together. */
  public double count(int... dims) {
    double count = 1;
    for (int dim : dims) {
      count *= tensor.shape(dim);
    }
    return count;
  }

  /** Returns this {@code [.., in]} times the transpose of weight {@code [out, in]}, plus bias. */
  public Term linear(Tensor weight, @Nullable Tensor bias) {
    Tensor x = ShapeRules.asMatrix(tensor);
    Tensor y =
        bias == null ? backend.matmul(x, false, weight, true) : backend.linear(x, weight, bias);
    return of(y.reshape(ShapeRules.with(tensor.shape(), tensor.rank() - 1, weight.shape(0))));
  }

  public Term reshape(long... shape) {
    return of(tensor.reshape(shape));
  }
}
