/**
 * Timers, permits, executors and the mapping of exceptions that the other packages share. Nothing
 * here knows calls or messages.
 */
@NullMarked
package io.hazelgrad.grid.internal.concurrent;

import org.jspecify.annotations.NullMarked;
