/**
 * The interfaces by which other modules plug into the grid. Start at {@link
 * io.hazelgrad.grid.spi.GridExtension}.
 */
@NullMarked
package io.hazelgrad.grid.spi;

import org.jspecify.annotations.NullMarked;
