/**
 * The messages that Hazelcast carries for the grid. This is the only package of this module that
 * uses Hazelcast's non-public API.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.hazelcast;
