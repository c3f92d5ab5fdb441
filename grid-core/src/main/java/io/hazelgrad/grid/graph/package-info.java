/**
 * Graphs that are called by name: a SameDiff graph is deployed once and runs on every worker. Start
 * at {@link io.hazelgrad.grid.graph.Graphs}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.graph;
