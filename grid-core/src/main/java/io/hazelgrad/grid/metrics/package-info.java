/** The counters of a worker: its calls, the calls that it serves, and figures of the process. */
@NullMarked
package io.hazelgrad.grid.metrics;

import org.jspecify.annotations.NullMarked;
