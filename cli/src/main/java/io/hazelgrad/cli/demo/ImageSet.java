package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Outputs;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * An immutable set of pictures of one size, with the class of each. Subsets share the pixels.
 *
 * <p>Threads: safe.
 */
final class ImageSet {
  private final float[] pixels;
  private final int[] labels;
  private final long[] shape;
  private final int area;

  /** The indices of this set's pictures, in their order. */
  private final List<Integer> rows;

  private ImageSet(float[] pixels, int[] labels, long[] shape, List<Integer> rows) {
    this.pixels = pixels;
    this.labels = labels;
    this.shape = shape;
    this.area = Math.toIntExact(Tensor.sizeOf(shape));
    this.rows = rows;
  }

  /**
   * Creates a set without copying the arrays.
   *
   * @param pixels the pixels between 0 and 1, picture by picture
   * @param labels the class of each picture
   * @param shape the shape of one picture
   */
  static ImageSet of(float[] pixels, int[] labels, long... shape) {
    return new ImageSet(pixels, labels, shape, IntStream.range(0, labels.length).boxed().toList());
  }

  int size() {
    return rows.size();
  }

  /** Returns the same pictures in a random order. */
  ImageSet shuffled(Random random) {
    List<Integer> copy = new ArrayList<>(rows);
    Collections.shuffle(copy, random);
    return with(copy);
  }

  /** Returns the pictures from one index (inclusive) to another (exclusive). */
  ImageSet slice(int from, int to) {
    return with(rows.subList(from, to));
  }

  /** Returns the pictures with these indices. */
  ImageSet select(List<Integer> indices) {
    return with(indices.stream().map(rows::get).toList());
  }

  /** Returns these pictures in groups of {@code size}; the last one may be smaller. */
  List<ImageSet> batches(int size) {
    List<ImageSet> batches = new ArrayList<>();
    for (int from = 0; from < size(); from += size) {
      batches.add(slice(from, Math.min(size(), from + size)));
    }
    return batches;
  }

  /** Returns part {@code index} of {@code parts}; the sizes of the parts differ by at most one. */
  ImageSet part(int index, int parts) {
    return slice(
        Math.toIntExact((long) size() * index / parts),
        Math.toIntExact((long) size() * (index + 1) / parts));
  }

  private ImageSet with(List<Integer> some) {
    return new ImageSet(pixels, labels, shape, some);
  }

  /** Returns the pixels, FLOAT32 [size, shape of a picture]. */
  Tensor pixels() {
    float[] data = new float[size() * area];
    for (int i = 0; i < size(); i++) {
      System.arraycopy(pixels, rows.get(i) * area, data, i * area, area);
    }
    return Tensor.wrap(
        data, LongStream.concat(LongStream.of(size()), LongStream.of(shape)).toArray());
  }

  /** Returns the classes, INT64 [size]. */
  Tensor labels() {
    return Tensor.wrap(rows.stream().mapToLong(row -> labels[row]).toArray(), size());
  }

  /** Returns the number of pictures whose greatest score is that of the right class. */
  int recognised(Tensor scores) {
    Outputs greatest = Variable.applyAll("max", Attributes.of("dim", 1), Variable.of(scores));
    long[] best = Objects.requireNonNull(greatest.more().get("indices")).toLongs();
    return (int)
        IntStream.range(0, best.length).filter(i -> best[i] == labels[rows.get(i)]).count();
  }
}
