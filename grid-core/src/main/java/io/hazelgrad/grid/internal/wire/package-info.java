/**
 * The wire form of messages and values: requests, replies, and the codecs of everything that
 * travels in them. Start at {@link io.hazelgrad.grid.internal.wire.MessageCodec}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.wire;
