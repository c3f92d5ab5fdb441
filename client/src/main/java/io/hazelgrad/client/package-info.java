/** The thin client: the grid's interfaces over a Hazelcast client. */
@NullMarked
package io.hazelgrad.client;

import org.jspecify.annotations.NullMarked;
