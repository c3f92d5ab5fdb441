/** The part of this worker in backward passes. Start at {@link PassTable}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.participant;
