/**
 * The relay of thin clients: a worker passes requests on to a client, which cannot be called. Start
 * at {@link io.hazelgrad.autograd.internal.relay.ClientRelay}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.relay;

import org.jspecify.annotations.NullMarked;
