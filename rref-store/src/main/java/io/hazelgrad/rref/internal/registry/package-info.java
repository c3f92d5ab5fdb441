/**
 * The registry as a process uses it: commands and the routes that carry them, and queries. Start at
 * {@link io.hazelgrad.rref.internal.registry.RegistryMap}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.registry;
