/** The scheduler that runs an attempt as a Jet job. Start at {@link JetPassScheduler}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.jet;
