/**
 * OpenTelemetry contexts that travel with calls. This needs OpenTelemetry's API on the class path.
 * Without it only {@link io.hazelgrad.grid.tracing.TracingExtension} is loaded.
 */
@NullMarked
package io.hazelgrad.grid.tracing;

import org.jspecify.annotations.NullMarked;
