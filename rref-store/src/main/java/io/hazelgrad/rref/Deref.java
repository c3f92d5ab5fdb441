package io.hazelgrad.rref;

/** An argument that stands for the object of an RRef; it is replaced by the object on its owner. */
record Deref(RRefId id) {}
