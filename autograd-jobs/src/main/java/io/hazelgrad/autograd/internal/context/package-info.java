/** Autograd contexts of one worker, and their messages. Start at {@link ContextRecorder}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.context;
