/**
 * The relay of a thin client: a worker that takes the client's part in backward passes and hands
 * messages on. Start at {@link io.hazelgrad.autograd.internal.relay.ClientRelay}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.relay;

import org.jspecify.annotations.NullMarked;
