/** Proofs that requests and replies come from processes that have the grid's secret. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.proof;
