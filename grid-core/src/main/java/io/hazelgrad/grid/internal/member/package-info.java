/**
 * The directories of workers and clients, and the configuration that a Hazelcast member needs to be
 * a worker. Start at {@link io.hazelgrad.grid.internal.member.Directory}.
 */
@NullMarked
package io.hazelgrad.grid.internal.member;

import org.jspecify.annotations.NullMarked;
