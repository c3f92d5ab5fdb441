package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;

/**
 * A tensor with the arithmetic of a backend, so that formulas read like formulas. Operands are
 * broadcast; they must have one element type. Numbers take the type of the tensor.
 */
record Term(Backend backend, Tensor tensor) {
  Term of(Tensor other) {
    return new Term(backend, other);
  }

  /** Returns that number as a scalar of this type. */
  Term constant(double value) {
    return of(Tensor.full(tensor.dtype(), value));
  }

  Term apply(Unary function) {
    return of(backend.unary(function, tensor));
  }

  Term apply(Binary function, Term other) {
    return of(backend.binary(function, tensor, other.tensor));
  }

  Term apply(Binary function, double other) {
    return apply(function, constant(other));
  }

  Term plus(Term other) {
    return apply(Binary.ADD, other);
  }

  Term plus(double other) {
    return apply(Binary.ADD, other);
  }

  Term minus(Term other) {
    return apply(Binary.SUB, other);
  }

  Term minus(double other) {
    return apply(Binary.SUB, other);
  }

  Term times(Term other) {
    return apply(Binary.MUL, other);
  }

  Term times(double other) {
    return apply(Binary.MUL, other);
  }

  Term over(Term other) {
    return apply(Binary.DIV, other);
  }

  Term over(double other) {
    return apply(Binary.DIV, other);
  }

  /** Returns this to that power; to 0.5 by the root, of which negative infinity has none. */
  Term power(double exponent) {
    if (exponent == 0.5) {
      return sqrt();
    }
    return exponent == -0.5 ? constant(1).over(sqrt()) : apply(Binary.POW, exponent);
  }

  Term squared() {
    return times(this);
  }

  /** Returns {@code value - this}. */
  Term from(double value) {
    return constant(value).minus(this);
  }

  Term negative() {
    return apply(Unary.NEG);
  }

  Term exp() {
    return apply(Unary.EXP);
  }

  Term log() {
    return apply(Unary.LOG);
  }

  Term sqrt() {
    return apply(Unary.SQRT);
  }

  Term abs() {
    return apply(Unary.ABS);
  }

  Term sign() {
    return apply(Unary.SIGN);
  }

  Term sigmoid() {
    return apply(Unary.SIGMOID);
  }

  Term tanh() {
    return apply(Unary.TANH);
  }

  /** Returns the gradient of what the tanh, whose gradient this is, was made of. */
  Term tanhGradient(Term output) {
    return apply(Binary.TANH_GRADIENT, output);
  }

  /** Returns the gradient of what the sigmoid, whose gradient this is, was made of. */
  Term sigmoidGradient(Term output) {
    return apply(Binary.SIGMOID_GRADIENT, output);
  }

  /** Returns 1 where both are equal, else 0. */
  Term equal(Term other) {
    return apply(Binary.EQUAL, other);
  }

  Term equal(double other) {
    return apply(Binary.EQUAL, other);
  }

  Term less(Term other) {
    return apply(Binary.LESS, other);
  }

  Term less(double other) {
    return apply(Binary.LESS, other);
  }

  Term atMost(double other) {
    return apply(Binary.LESS_EQUAL, other);
  }

  Term atLeast(double other) {
    return constant(other).apply(Binary.LESS_EQUAL, this);
  }

  /** Returns 1 where this is NaN, else 0. */
  Term isNaN() {
    return equal(this).from(1);
  }

  /** Returns {@code a} where this is not 0, else {@code b}. */
  Term choose(Term a, Term b) {
    return of(backend.select(tensor, a.tensor, b.tensor));
  }

  Term choose(Term a, double b) {
    return choose(a, a.constant(b));
  }

  Term choose(double a, Term b) {
    return choose(b.constant(a), b);
  }

  /** Reduces dimensions, which keep extent 1. */
  Term reduce(Reduction reduction, int... dims) {
    return of(backend.reduce(reduction, tensor, dims));
  }

  Term sum(int... dims) {
    return reduce(Reduction.SUM, dims);
  }

  Term mean(int... dims) {
    return sum(dims).over(count(dims));
  }

  /** Returns how many elements the dimensions have together. */
  double count(int... dims) {
    double count = 1;
    for (int dim : dims) {
      count *= tensor.shape(dim);
    }
    return count;
  }

  Term reshape(long... shape) {
    return of(tensor.reshape(shape));
  }

  Term to(DType dtype) {
    return of(tensor.to(dtype));
  }
}
