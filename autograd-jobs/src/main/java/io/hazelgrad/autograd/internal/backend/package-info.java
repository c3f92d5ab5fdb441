/**
 * The arithmetic of the operations on the CPU. Start at {@link
 * io.hazelgrad.autograd.internal.backend.CpuBackend}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.backend;

import org.jspecify.annotations.NullMarked;
