/**
 * Autograd contexts of one worker, and the messages about them. Start at {@link ContextRecorder}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.context;
