/** The arithmetic of the operations on the CPU. Start at {@link CpuBackend}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.backend;
