/**
 * The arithmetic below the operations, on the CPU. Start at {@link
 * io.hazelgrad.autograd.ops.Backend}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.backend;

import org.jspecify.annotations.NullMarked;
