/** The profiler: events of calls and operations, and their export as a trace. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.profile;
