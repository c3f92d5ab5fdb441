package io.hazelgrad.autograd.internal.tape;

/** The way of a tensor's gradient: to a node, as the gradient of its output {@code slot}. */
public record Edge(Node node, int slot) {}
