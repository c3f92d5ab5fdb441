/** The thin client: the calls of a grid over a Hazelcast client. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.client;
