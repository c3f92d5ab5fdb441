/** Tensors on NVIDIA GPUs. Start at {@link CudaBackend}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.cuda.internal;
