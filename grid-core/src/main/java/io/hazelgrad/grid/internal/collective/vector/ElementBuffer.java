package io.hazelgrad.grid.internal.collective.vector;

/** A vector of elements that is written and read piece by piece. */
public interface ElementBuffer extends Elements, Target {}
