package io.hazelgrad.autograd.internal.tape;

/**
 * Where the gradient of a tensor goes: to a node, as the gradient of that node's output number
 * {@code slot}.
 */
public record Edge(Node node, int slot) {}
