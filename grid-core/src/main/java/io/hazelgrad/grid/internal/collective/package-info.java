/**
 * The machinery of collectives. {@code CollectiveMember} is one member's part of a collective;
 * {@code HostExchange} moves elements within a host, {@code Ring} between hosts.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.collective;
