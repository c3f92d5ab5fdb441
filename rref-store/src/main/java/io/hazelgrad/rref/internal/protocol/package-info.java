/**
 * The RRef protocol as pure functions: {@link io.hazelgrad.rref.internal.protocol.Registry} maps an
 * entry and a command to the next entry and a reply. Nothing here uses threads or time. Hazelcast
 * appears only in the wire form of entries, commands and stored values.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.protocol;
