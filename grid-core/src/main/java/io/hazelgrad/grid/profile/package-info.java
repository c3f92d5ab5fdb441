/** The profiler: events of calls and operations, and their export as a trace. */
@NullMarked
package io.hazelgrad.grid.profile;

import org.jspecify.annotations.NullMarked;
