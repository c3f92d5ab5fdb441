/** The grid: workers, calls, values and tensors. Start at {@link io.hazelgrad.grid.Grid}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid;
