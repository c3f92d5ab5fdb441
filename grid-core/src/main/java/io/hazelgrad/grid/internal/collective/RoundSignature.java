package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Reduction;
import io.hazelgrad.grid.internal.collective.vector.Results;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The properties in which the calls of all members must agree to form a round. It travels as one
 * long, so that comparing it costs nothing.
 *
 * @param reduction the reduction, or {@link Reduction#SUM} where there is none
 * @param root the rank of a broadcast, or 0
 * @param elements the number of elements that each member gives
 * @param shapes a hash of the shapes
 */
record RoundSignature(
    Kind kind, DType dtype, Reduction reduction, int root, int elements, int shapes) {
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<DType> DTYPES = List.of(DType.values());
  private static final List<Reduction> REDUCTIONS = List.of(Reduction.values());
  private static final int DTYPE_BITS = 4;
  private static final int REDUCTION_BITS = 2;
  private static final int ROOT_BITS = 10;
  private static final int SHAPES_BITS = 13;
  private static final int ELEMENTS_BITS = 31;

  /** The most members of a collective. */
  static final int MOST_MEMBERS = 1 << ROOT_BITS;

  /** The kinds of rounds. */
  enum Kind {
    ALL_REDUCE("all-reduce"),
    REDUCE_SCATTER("reduce-scatter"),
    ALL_GATHER("all-gather"),
    BROADCAST("broadcast"),
    BARRIER("barrier");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    boolean reduces() {
      return this == ALL_REDUCE || this == REDUCE_SCATTER;
    }
  }

  static RoundSignature of(Kind kind, List<Tensor> tensors, Reduction reduction, int root) {
    List<Object> shapes = new ArrayList<>();
    tensors.forEach(each -> shapes.add(Arrays.hashCode(each.shape())));
    int elements = Results.total(tensors.stream().map(Tensor::shape).toList());
    int hash = shapes.hashCode();
    int mask = (1 << SHAPES_BITS) - 1;
    return new RoundSignature(
        kind, tensors.get(0).dtype(), reduction, root, elements, (hash ^ hash >>> 16) & mask);
  }

  long encoded() {
    long code = KINDS.indexOf(kind);
    code = code << DTYPE_BITS | DTYPES.indexOf(dtype);
    code = code << REDUCTION_BITS | REDUCTIONS.indexOf(reduction);
    code = code << ROOT_BITS | root;
    code = code << SHAPES_BITS | shapes;
    return code << ELEMENTS_BITS | elements;
  }

  /** Describes an encoded signature of another member, which may be damaged. */
  static String describe(long encoded) {
    long rest = encoded;
    int elements = (int) (rest & Integer.MAX_VALUE);
    rest >>>= ELEMENTS_BITS + SHAPES_BITS;
    int root = (int) (rest & MOST_MEMBERS - 1);
    rest >>>= ROOT_BITS;
    int reduction = (int) (rest & (1 << REDUCTION_BITS) - 1);
    rest >>>= REDUCTION_BITS;
    int dtype = (int) (rest & (1 << DTYPE_BITS) - 1);
    int kind = (int) (rest >>> DTYPE_BITS);
    if (kind >= KINDS.size() || dtype >= DTYPES.size()) {
      return "an unknown round " + encoded;
    }
    return new RoundSignature(
            KINDS.get(kind), DTYPES.get(dtype), REDUCTIONS.get(reduction), root, elements, 0)
        .toString();
  }

  @Override
  public String toString() {
    return switch (kind) {
      case BARRIER -> kind.text;
      case BROADCAST -> "%s of %,d %s from rank %d".formatted(kind.text, elements, dtype, root);
      case ALL_GATHER -> "%s of %,d %s".formatted(kind.text, elements, dtype);
      default -> "%s (%s) of %,d %s".formatted(kind.text, reduction, elements, dtype);
    };
  }
}
