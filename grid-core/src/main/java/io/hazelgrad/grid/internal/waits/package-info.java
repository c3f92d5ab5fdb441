/** Tells what a worker waits for, and joins the answers of all workers to findings. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.waits;
