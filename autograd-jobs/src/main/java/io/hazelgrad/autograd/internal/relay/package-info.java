/** The relay of thin clients, which cannot be called. Start at {@link ClientRelay}. */
@NullMarked
package io.hazelgrad.autograd.internal.relay;

import org.jspecify.annotations.NullMarked;
