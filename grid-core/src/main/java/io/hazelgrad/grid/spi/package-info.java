/**
 * The interfaces by which other modules plug into the grid: their view of values ({@link
 * io.hazelgrad.grid.spi.ValueHook}), of calls ({@link io.hazelgrad.grid.spi.CallInterceptor}), and
 * how they are started ({@link io.hazelgrad.grid.spi.GridExtension}).
 */
@NullMarked
package io.hazelgrad.grid.spi;

import org.jspecify.annotations.NullMarked;
