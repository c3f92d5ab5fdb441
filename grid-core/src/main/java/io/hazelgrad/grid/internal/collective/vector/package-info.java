/** The vectors of elements that the rounds of collectives combine and move. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.collective.vector;
