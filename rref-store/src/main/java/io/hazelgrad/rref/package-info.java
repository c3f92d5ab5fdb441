/**
 * Remote references: counted references to objects that live on another worker. Start at {@link
 * io.hazelgrad.rref.RRefs}. The protocol is described in {@code docs/protocol.md}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref;
