/**
 * Calls between members as operations of Hazelcast: the transport that needs its non-public API.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.operations;
