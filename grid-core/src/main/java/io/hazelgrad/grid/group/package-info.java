/**
 * Barriers and all-gathers of workers, calls by role, and shutdown in good order. Start at {@link
 * io.hazelgrad.grid.group.Groups}, {@link io.hazelgrad.grid.group.Roles} and {@link
 * io.hazelgrad.grid.group.Shutdown}.
 */
@NullMarked
package io.hazelgrad.grid.group;

import org.jspecify.annotations.NullMarked;
