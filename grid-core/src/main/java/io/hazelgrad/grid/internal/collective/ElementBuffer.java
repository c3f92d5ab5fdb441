package io.hazelgrad.grid.internal.collective;

/** A vector of elements that is written and read piece by piece. */
interface ElementBuffer extends Elements, Target {}
