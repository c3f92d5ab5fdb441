/**
 * The counters of a worker for Prometheus, by HTTP. Without Micrometer's registry and Prometheus'
 * HTTP server on the class path only {@code PrometheusExtension} and {@code PrometheusOptions} are
 * loaded.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.prometheus;
