package io.hazelgrad.autograd;

/**
 * Where the gradient of a tensor goes: to a node, as the gradient of that node's output number
 * {@code slot}.
 */
record Edge(Node node, int slot) {}
