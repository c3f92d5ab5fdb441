/** The counters of a worker: its calls, the calls that it serves, and figures of the process. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.metrics;
