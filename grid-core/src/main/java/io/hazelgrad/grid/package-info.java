/**
 * The grid: workers, calls, values and tensors. Start at {@link io.hazelgrad.grid.Grid}.
 *
 * <p>This package knows neither remote references nor gradients; they plug in through {@link
 * io.hazelgrad.grid.spi}.
 */
@NullMarked
package io.hazelgrad.grid;

import org.jspecify.annotations.NullMarked;
