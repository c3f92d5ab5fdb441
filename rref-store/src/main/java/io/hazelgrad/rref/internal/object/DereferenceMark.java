package io.hazelgrad.rref.internal.object;

import io.hazelgrad.rref.RRefId;

/** An argument that stands for the object of an RRef; it is replaced by the object on its owner. */
public record DereferenceMark(RRefId id) {}
