/**
 * The part of this worker in backward passes: the table of staged passes with their decisions, and
 * the participants of members and clients. Start at {@link
 * io.hazelgrad.autograd.internal.participant.PassTable}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.participant;

import org.jspecify.annotations.NullMarked;
