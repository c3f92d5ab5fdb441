package io.hazelgrad.rref;

/**
 * An argument that stands for the object of an RRef in a call through the reference. The owner
 * replaces it by the object before the function starts. Applications do not meet it; extensions
 * that look at the arguments of a call do.
 *
 * @param id the RRef whose object is meant
 */
public record DereferenceMark(RRefId id) {}
