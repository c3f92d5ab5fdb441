/**
 * The messages that Hazelcast carries for the grid. This is the only package of this module that
 * uses Hazelcast's non-public API.
 */
@NullMarked
package io.hazelgrad.grid.internal.hazelcast;

import org.jspecify.annotations.NullMarked;
