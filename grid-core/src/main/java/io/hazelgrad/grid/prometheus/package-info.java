/**
 * The counters of a worker for Prometheus, over HTTP. Off unless it is asked for. Needs {@code
 * io.prometheus:prometheus-metrics-exporter-httpserver} on the class path; without it nothing here
 * is loaded, except {@link io.hazelgrad.grid.prometheus.PrometheusExtension} and {@link
 * io.hazelgrad.grid.prometheus.PrometheusOptions}.
 */
@NullMarked
package io.hazelgrad.grid.prometheus;

import org.jspecify.annotations.NullMarked;
