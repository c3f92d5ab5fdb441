package io.hazelgrad.grid.internal.call;

import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import org.jspecify.annotations.Nullable;

/**
 * A call that was made here and has no reply yet.
 *
 * @param madeNanos when it was made, as {@link System#nanoTime}
 * @param thread the id of the thread that made it
 * @param within the call whose function made it on its own thread; null if there is none
 */
public record OpenCall(CallInfo call, long madeNanos, long thread, @Nullable CallId within) {}
