/** The part of this worker in backward passes. Start at {@link PassTable}. */
@NullMarked
package io.hazelgrad.autograd.internal.participant;

import org.jspecify.annotations.NullMarked;
