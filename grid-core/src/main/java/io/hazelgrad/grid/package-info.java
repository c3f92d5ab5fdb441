/**
 * The grid: workers, calls, values and tensors. Start at {@link io.hazelgrad.grid.Grid}. Remote
 * references and gradients plug in through {@link io.hazelgrad.grid.spi}.
 */
@NullMarked
package io.hazelgrad.grid;

import org.jspecify.annotations.NullMarked;
