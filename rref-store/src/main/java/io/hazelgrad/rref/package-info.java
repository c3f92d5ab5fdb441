/**
 * Remote references: counted references to objects that live on another worker. Start at {@link
 * io.hazelgrad.rref.RRefs}. The protocol is described in {@code docs/protocol.md}.
 */
@NullMarked
package io.hazelgrad.rref;

import org.jspecify.annotations.NullMarked;
