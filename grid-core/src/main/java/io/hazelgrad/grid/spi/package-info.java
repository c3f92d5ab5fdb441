/** The interfaces for other modules. Start at {@link io.hazelgrad.grid.spi.GridExtension}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.spi;
