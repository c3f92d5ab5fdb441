/**
 * The only package of this module that uses non-public Hazelcast API: the map operations that apply
 * commands to registry entries, and the writes of stored values. It implements {@link
 * io.hazelgrad.rref.internal.registry.RegistryRoute} and {@link
 * io.hazelgrad.rref.internal.object.StoredValues}.
 */
@NullMarked
package io.hazelgrad.rref.internal.hazelcast;

import org.jspecify.annotations.NullMarked;
