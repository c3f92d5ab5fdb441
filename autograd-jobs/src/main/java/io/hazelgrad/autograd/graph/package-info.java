/**
 * Graphs that are called by name: a SameDiff graph or an ONNX model is deployed once and runs on
 * every worker. Start at {@link io.hazelgrad.autograd.graph.Graphs}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.graph;
