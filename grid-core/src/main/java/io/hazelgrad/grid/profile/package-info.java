/**
 * The profiler, its events, and their export. Start at {@link io.hazelgrad.grid.profile.Profiler}.
 */
@NullMarked
package io.hazelgrad.grid.profile;

import org.jspecify.annotations.NullMarked;
