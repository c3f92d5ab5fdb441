/** The interfaces for other modules. Start at {@link io.hazelgrad.grid.spi.GridExtension}. */
@NullMarked
package io.hazelgrad.grid.spi;

import org.jspecify.annotations.NullMarked;
