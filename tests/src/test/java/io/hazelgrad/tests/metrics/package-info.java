/** Tests of the counters where Prometheus and Grafana read them. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.tests.metrics;
