/**
 * OpenTelemetry contexts that travel with calls. Needs its API on the class path; without it
 * nothing here is loaded, except {@link io.hazelgrad.grid.tracing.TracingExtension}.
 */
@NullMarked
package io.hazelgrad.grid.tracing;

import org.jspecify.annotations.NullMarked;
