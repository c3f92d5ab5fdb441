/** Finds out why a grid is slow or stuck, from what its workers wait for. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.waits;
