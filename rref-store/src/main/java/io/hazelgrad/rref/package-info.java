/**
 * Counted references to objects that live on another worker.
 *
 * <p>The protocol is described in {@code docs/protocol.md}. Its core is {@link
 * io.hazelgrad.rref.internal.protocol.Registry}, a pure function from an entry and a command to the
 * next entry and a reply; everything else carries commands to it or acts on its replies.
 */
@NullMarked
package io.hazelgrad.rref;

import org.jspecify.annotations.NullMarked;
