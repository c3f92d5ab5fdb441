package io.hazelgrad.rref.spi;

import io.hazelgrad.rref.RRefId;

/**
 * An argument that stands for the object of an RRef. The owner replaces it by the object before the
 * function starts. Modules that look at the arguments of a call may meet it.
 *
 * @param id the RRef whose object is meant
 */
public record DereferenceMark(RRefId id) {}
