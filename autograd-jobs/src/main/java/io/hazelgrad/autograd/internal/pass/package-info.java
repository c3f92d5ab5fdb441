/** The vocabulary of passes. Start at {@link PassScheduler} and {@link PassParticipant}. */
@NullMarked
package io.hazelgrad.autograd.internal.pass;

import org.jspecify.annotations.NullMarked;
