/**
 * The place of the thin client: the grid's interfaces over a Hazelcast client. It is not written
 * yet.
 */
@NullMarked
package io.hazelgrad.client;

import org.jspecify.annotations.NullMarked;
