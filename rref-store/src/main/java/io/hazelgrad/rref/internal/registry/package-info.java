/**
 * The way of commands to the registry's entries: batches, the operations that carry them, and
 * queries. Start at {@link io.hazelgrad.rref.internal.registry.RegistryMap}.
 */
@NullMarked
package io.hazelgrad.rref.internal.registry;

import org.jspecify.annotations.NullMarked;
