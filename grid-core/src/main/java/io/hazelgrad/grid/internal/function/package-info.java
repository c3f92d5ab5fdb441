/**
 * The functions that calls name, and those that a worker can run. Start at {@link
 * io.hazelgrad.grid.internal.function.RemoteFunction}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.function;
