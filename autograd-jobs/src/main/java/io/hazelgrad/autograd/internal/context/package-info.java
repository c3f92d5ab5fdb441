/**
 * Autograd contexts: what one worker records of them, and the messages by which workers tell each
 * other about them. Start at {@link io.hazelgrad.autograd.internal.context.Contexts}.
 */
@NullMarked
package io.hazelgrad.autograd.internal.context;

import org.jspecify.annotations.NullMarked;
