/** The thin client: the calls of a grid over a Hazelcast client. */
@NullMarked
package io.hazelgrad.client;

import org.jspecify.annotations.NullMarked;
