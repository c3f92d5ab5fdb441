/** What a worker waits for, and the join of the answers of all workers to findings. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.waits;
