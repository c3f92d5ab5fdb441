package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteValue;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The options of a convolution. A list has one number per dimension, or one number for all.
 *
 * @param stride the distance between windows
 * @param padding the number of elements added on either side
 * @param paddingMode the kind of added elements
 * @param dilation the distance between the elements of a window
 * @param groups the number of parts, convolved separately; it divides both numbers of channels
 * @param biased whether there is a bias
 */
@RemoteValue
public record ConvOptions(
    List<Integer> stride,
    List<Integer> padding,
    PaddingMode paddingMode,
    List<Integer> dilation,
    int groups,
    boolean biased) {
  /** The elements around the input of a convolution; torch's {@code padding_mode}. */
  @RemoteValue
  public enum PaddingMode {
    /** Zeros. */
    ZEROS,
    /** The elements next to the edge, in the reverse order, without the edge itself. */
    REFLECT,
    /** The element at the edge. */
    REPLICATE,
    /** The elements of the other end. */
    CIRCULAR
  }

  /** Copies the lists. */
  public ConvOptions {
    stride = List.copyOf(stride);
    padding = List.copyOf(padding);
    dilation = List.copyOf(dilation);
    Module.atLeast("groups", groups, 1);
  }

  /** Returns stride 1, no padding, zeros if there is some, dilation 1, one group, a bias. */
  public static ConvOptions defaults() {
    return new ConvOptions(List.of(1), List.of(0), PaddingMode.ZEROS, List.of(1), 1, true);
  }

  /** Returns the same with another stride. */
  public ConvOptions withStride(int... newStride) {
    return new ConvOptions(list(newStride), padding, paddingMode, dilation, groups, biased);
  }

  /** Returns the same with other padding. */
  public ConvOptions withPadding(int... newPadding) {
    return new ConvOptions(stride, list(newPadding), paddingMode, dilation, groups, biased);
  }

  /** Returns the same with padding of another kind. */
  public ConvOptions withPaddingMode(PaddingMode newMode) {
    return new ConvOptions(stride, padding, newMode, dilation, groups, biased);
  }

  /** Returns the same with another dilation. */
  public ConvOptions withDilation(int... newDilation) {
    return new ConvOptions(stride, padding, paddingMode, list(newDilation), groups, biased);
  }

  /** Returns the same with another number of groups. */
  public ConvOptions withGroups(int newGroups) {
    return new ConvOptions(stride, padding, paddingMode, dilation, newGroups, biased);
  }

  /** Returns the same with or without a bias. */
  public ConvOptions withBias(boolean newBiased) {
    return new ConvOptions(stride, padding, paddingMode, dilation, groups, newBiased);
  }

  private static List<Integer> list(int... numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  Attributes attributes() {
    return Attributes.of(
        Map.of("stride", stride, "padding", padding, "dilation", dilation, "groups", groups));
  }
}
