/** Timers, permits, executors and the mapping of exceptions. Nothing here knows calls. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.concurrent;
