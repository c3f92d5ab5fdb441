package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** Finds elements by index or along a dimension. Callers check the arguments. */
final class CpuIndexing {
  private CpuIndexing() {}

  /** A shape divided along one dimension: blocks, slices per block, elements per slice. */
  record Slices(int blocks, int extent, int size) {
    static Slices of(long[] shape, int dim) {
      long blocks = 1;
      long size = 1;
      for (int i = 0; i < shape.length; i++) {
        blocks *= i < dim ? shape[i] : 1;
        size *= i > dim ? shape[i] : 1;
      }
      return new Slices((int) blocks, (int) shape[dim], (int) size);
    }

    int at(int block, long slice) {
      return (int) ((block * (long) extent + slice) * size);
    }
  }

  /** Visits the slices along a dimension that an index, which has no other dimension, names. */
  static void forEachSlice(long[] spread, long[] packed, int dim, Tensor index, Moves.Run run) {
    Slices from = Slices.of(spread, dim);
    Slices to = Slices.of(packed, dim);
    for (int block = 0; block < to.blocks(); block++) {
      for (int i = 0; i < to.extent(); i++) {
        long at = index.storage().getLong(i);
        if (at >= 0) {
          run.at(to.at(block, i), from.at(block, at), 1, to.size());
        }
      }
    }
  }

  /** Visits the elements along a dimension that the elements of an index name. */
  static void forEachElement(long[] shape, int dim, Tensor index, Moves.Run run) {
    long[] strides = BroadcastWalk.broadcastStrides(shape, shape.length);
    long along = strides[dim];
    strides[dim] = 0;
    long[] own = BroadcastWalk.broadcastStrides(index.shape(), shape.length);
    BroadcastWalk walk = new BroadcastWalk(index.shape(), strides, own);
    walk.forEachRun(
        (base, at) -> {
          for (int i = 0; i < walk.length(); i++) {
            int inIndex = at + i * walk.stepB();
            long picked = index.storage().getLong(inIndex);
            if (picked >= 0) {
              run.at(inIndex, base + i * walk.stepA() + (int) (picked * along), 1, 1);
            }
          }
        });
  }

  static <A, C> Tensor concat(Kernels<A, C> kernels, List<Tensor> parts, int dim, TensorType type) {
    A out = kernels.allocate(type.size());
    if (type.size() > 0) {
      Slices to = Slices.of(type.shape(), dim);
      long start = 0;
      for (Tensor part : parts) {
        A in = kernels.arrayOf(part);
        Slices from = Slices.of(part.shape(), dim);
        int run = from.extent() * from.size();
        for (int block = 0; block < to.blocks(); block++) {
          kernels.gather(in, from.at(block, 0), 1, out, to.at(block, start), run);
        }
        start += from.extent();
      }
    }
    return kernels.tensor(out, type.shape());
  }

  static <A, C> Tensor indexOf(
      Kernels<A, C> kernels, Reduction reduction, Tensor x, int dim, TensorType type) {
    A in = kernels.arrayOf(x);
    long[] index = new long[type.size()];
    if (index.length > 0) {
      Slices slices = Slices.of(x.shape(), dim);
      for (int block = 0; block < slices.blocks(); block++) {
        for (int i = 0; i < slices.size(); i++) {
          int first = slices.at(block, 0) + i;
          int best = first;
          for (int at = 1; at < slices.extent(); at++) {
            int candidate = first + at * slices.size();
            best = kernels.precedes(reduction, in, candidate, best) ? candidate : best;
          }
          int found = (best - first) / slices.size();
          index[block * slices.size() + i] = found;
        }
      }
    }
    return Tensor.wrap(index, type.shape());
  }

  static <A, C> Tensor cumulate(Kernels<A, C> kernels, Tensor x, int dim, boolean backwards) {
    A in = kernels.arrayOf(x);
    A out = kernels.allocate(x.size());
    if (x.size() > 0) {
      Slices slices = Slices.of(x.shape(), dim);
      int step = backwards ? -slices.size() : slices.size();
      for (int block = 0; block < slices.blocks(); block++) {
        int start = slices.at(block, backwards ? slices.extent() - 1 : 0);
        for (int i = 0; i < slices.size(); i++) {
          kernels.cumulate(in, out, start + i, step, slices.extent());
        }
      }
    }
    return kernels.tensor(out, x.shape());
  }
}
