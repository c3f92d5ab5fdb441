/** The initiator of backward passes. Start at {@link PassInitiator}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.initiator;
