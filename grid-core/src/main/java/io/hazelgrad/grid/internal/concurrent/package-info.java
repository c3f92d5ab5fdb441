/** Timers, permits, executors and the mapping of exceptions. Nothing here knows calls. */
@NullMarked
package io.hazelgrad.grid.internal.concurrent;

import org.jspecify.annotations.NullMarked;
