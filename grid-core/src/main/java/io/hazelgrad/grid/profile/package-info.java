/**
 * The profiler: {@link io.hazelgrad.grid.profile.Profiler}, its events, and their export as a
 * trace.
 */
@NullMarked
package io.hazelgrad.grid.profile;

import org.jspecify.annotations.NullMarked;
