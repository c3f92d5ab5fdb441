/** The counters behind {@link io.hazelgrad.grid.metrics.Metrics}, and their publication by JMX. */
@NullMarked
package io.hazelgrad.grid.internal.metrics;

import org.jspecify.annotations.NullMarked;
