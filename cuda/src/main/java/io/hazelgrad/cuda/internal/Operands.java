package io.hazelgrad.cuda.internal;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;

/**
 * Brings tensors to a GPU in the types that kernels compute with: FLOAT64, FLOAT32 and INT64.
 * Threads: safe.
 */
final class Operands {
  private final Gpu gpu;

  Operands(Gpu gpu) {
    this.gpu = gpu;
  }

  /** Returns the elements on the GPU: those of x itself, or a copy if it lies elsewhere. */
  CudaStorage of(Tensor x) {
    return x.storage() instanceof CudaStorage here && here.isOn(gpu)
        ? here
        : gpu.upload(x.to(Device.CPU).storage());
  }

  /** Returns the elements in the type that is computed with. */
  CudaStorage working(Tensor x) {
    return gpu.convert(of(x), workingType(x.dtype()));
  }

  /** Returns a tensor of what was computed, as the type that the operands had. */
  Tensor narrow(CudaStorage result, DType dtype, long... shape) {
    return gpu.convert(result, dtype).tensor(shape);
  }

  /** Returns room for what is computed of operands of a type. */
  CudaStorage allocate(DType dtype, long length) {
    return gpu.allocate(workingType(dtype), Math.toIntExact(length));
  }

  /** Returns the element type that is computed with. */
  static DType workingType(DType dtype) {
    return switch (dtype) {
      case FLOAT64 -> DType.FLOAT64;
      case FLOAT32, FLOAT16, BFLOAT16 -> DType.FLOAT32;
      case INT64, INT32, INT16, INT8, UINT8, BOOL -> DType.INT64;
    };
  }

  /** Returns the name of the kernel that computes with operands of a type. */
  static String computing(String kernel, DType dtype) {
    return switch (workingType(dtype)) {
      case FLOAT64 -> kernel + "_d";
      case FLOAT32 -> kernel + "_f";
      default -> kernel + "_l";
    };
  }

  /** Returns the name of the kernel that moves elements of a type. */
  static String moving(String kernel, DType dtype) {
    return kernel + "_" + dtype.bytes();
  }
}
