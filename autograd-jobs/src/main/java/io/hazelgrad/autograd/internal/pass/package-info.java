/** The vocabulary of passes. Start at {@link PassScheduler} and {@link PassParticipant}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.pass;
