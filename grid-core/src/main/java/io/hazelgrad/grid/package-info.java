/** The grid: workers, calls, values and tensors. Start at {@link io.hazelgrad.grid.Grid}. */
@NullMarked
package io.hazelgrad.grid;

import org.jspecify.annotations.NullMarked;
