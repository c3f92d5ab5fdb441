/** The commands to the registry, and its queries. Start at {@link RegistryMap}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.registry;
