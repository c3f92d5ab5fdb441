/**
 * Autograd contexts of one worker, and the messages about them. Start at {@link ContextRecorder}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.context;

import org.jspecify.annotations.NullMarked;
