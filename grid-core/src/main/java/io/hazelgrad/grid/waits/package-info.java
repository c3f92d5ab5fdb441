/** What workers wait for, and why a grid is slow or stuck. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.waits;
