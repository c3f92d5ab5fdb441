/** The counters behind {@link io.hazelgrad.grid.metrics.Metrics}, and their publication by SQL. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.metrics;
