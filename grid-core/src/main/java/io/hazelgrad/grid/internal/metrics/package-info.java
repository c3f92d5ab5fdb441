/** The counters behind {@link io.hazelgrad.grid.metrics.Metrics}, and their publication by JMX. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.metrics;
