/**
 * The counters of a worker for Prometheus, by HTTP, if configured. This needs {@code
 * io.prometheus:prometheus-metrics-exporter-httpserver} on the class path. Without it only {@link
 * io.hazelgrad.grid.prometheus.PrometheusExtension} and {@link
 * io.hazelgrad.grid.prometheus.PrometheusOptions} are loaded.
 */
@NullMarked
package io.hazelgrad.grid.prometheus;

import org.jspecify.annotations.NullMarked;
