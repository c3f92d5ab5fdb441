/** Collectives: operations in which all members of a group combine or exchange their tensors. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.collective;
