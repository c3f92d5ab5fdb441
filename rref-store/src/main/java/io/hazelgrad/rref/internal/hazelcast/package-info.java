/**
 * The only package of this module that uses non-public Hazelcast API: the operations that apply
 * commands to registry entries, and the writes of stored values.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.hazelcast;
