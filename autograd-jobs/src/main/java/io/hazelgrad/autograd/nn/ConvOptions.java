package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteValue;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How a convolution goes over its input. A list has a number per dimension, or one for all.
 *
 * @param stride how far apart windows are
 * @param padding how many zeros are added on either side
 * @param dilation how far apart the elements of a window are
 * @param groups in how many parts channels are taken, each by itself; must divide both numbers of
 *     channels
 * @param biased whether there is a bias
 */
@RemoteValue
public record ConvOptions(
    List<Integer> stride,
    List<Integer> padding,
    List<Integer> dilation,
    int groups,
    boolean biased) {
  /** Copies the lists. */
  public ConvOptions {
    stride = List.copyOf(stride);
    padding = List.copyOf(padding);
    dilation = List.copyOf(dilation);
    Checks.atLeast("groups", groups, 1);
  }

  /** Returns stride 1, no padding, dilation 1, one group, a bias. */
  public static ConvOptions defaults() {
    return new ConvOptions(List.of(1), List.of(0), List.of(1), 1, true);
  }

  /** Returns the same with another stride. */
  public ConvOptions withStride(int... newStride) {
    return new ConvOptions(list(newStride), padding, dilation, groups, biased);
  }

  /** Returns the same with other padding. */
  public ConvOptions withPadding(int... newPadding) {
    return new ConvOptions(stride, list(newPadding), dilation, groups, biased);
  }

  /** Returns the same with another dilation. */
  public ConvOptions withDilation(int... newDilation) {
    return new ConvOptions(stride, padding, list(newDilation), groups, biased);
  }

  /** Returns the same with another number of groups. */
  public ConvOptions withGroups(int newGroups) {
    return new ConvOptions(stride, padding, dilation, newGroups, biased);
  }

  /** Returns the same with or without a bias. */
  public ConvOptions withBias(boolean newBiased) {
    return new ConvOptions(stride, padding, dilation, groups, newBiased);
  }

  private static List<Integer> list(int... numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  Attributes attributes() {
    return Attributes.of(
        Map.of("stride", stride, "padding", padding, "dilation", dilation, "groups", groups));
  }
}
