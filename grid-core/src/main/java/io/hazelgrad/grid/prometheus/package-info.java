/**
 * The counters of a worker for Prometheus, by HTTP. Without Prometheus' HTTP server on the class
 * path only {@code PrometheusExtension} and {@code PrometheusOptions} are loaded.
 */
@NullMarked
package io.hazelgrad.grid.prometheus;

import org.jspecify.annotations.NullMarked;
