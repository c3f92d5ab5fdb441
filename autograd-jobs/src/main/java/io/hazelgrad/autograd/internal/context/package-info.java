/**
 * Autograd contexts: the recording of one worker, and the messages about contexts between workers.
 * Start at {@link io.hazelgrad.autograd.internal.context.ContextRecorder}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.context;

import org.jspecify.annotations.NullMarked;
