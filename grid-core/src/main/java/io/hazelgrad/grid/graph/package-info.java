/**
 * Graphs that are called by name: a SameDiff graph is deployed once and runs on every worker.
 * {@link io.hazelgrad.grid.graph.Graphs} is where to begin.
 */
@NullMarked
package io.hazelgrad.grid.graph;

import org.jspecify.annotations.NullMarked;
