/**
 * Barriers and all-gathers of workers ({@link io.hazelgrad.grid.group.Groups}), calls by role
 * ({@link io.hazelgrad.grid.group.Roles}), and {@link io.hazelgrad.grid.group.Shutdown}.
 */
@NullMarked
package io.hazelgrad.grid.group;

import org.jspecify.annotations.NullMarked;
