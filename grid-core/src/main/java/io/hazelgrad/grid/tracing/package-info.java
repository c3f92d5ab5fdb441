/**
 * OpenTelemetry contexts that travel with calls. Without OpenTelemetry's API on the class path only
 * {@link io.hazelgrad.grid.tracing.TracingExtension} is loaded.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.tracing;
