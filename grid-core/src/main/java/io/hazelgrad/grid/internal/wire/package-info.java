/**
 * The wire form of messages and values: requests, replies, and the codecs of everything that
 * travels in them. Start at {@link io.hazelgrad.grid.internal.wire.MessageCodec}.
 */
@NullMarked
package io.hazelgrad.grid.internal.wire;

import org.jspecify.annotations.NullMarked;
