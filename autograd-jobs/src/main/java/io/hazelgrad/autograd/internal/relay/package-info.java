/** The relay of thin clients, which cannot be called. Start at {@link ClientRelay}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.relay;
