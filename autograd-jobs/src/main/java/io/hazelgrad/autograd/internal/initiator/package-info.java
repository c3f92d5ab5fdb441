/** The initiator of backward passes. Start at {@link PassInitiator}. */
@NullMarked
package io.hazelgrad.autograd.internal.initiator;

import org.jspecify.annotations.NullMarked;
