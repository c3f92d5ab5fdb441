/**
 * The parts of a worker, put together and started in order. Start at {@link
 * io.hazelgrad.grid.internal.runtime.GridRuntime}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.runtime;
