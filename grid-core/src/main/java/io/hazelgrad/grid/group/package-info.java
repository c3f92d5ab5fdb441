/**
 * Workers as groups: barriers and all-gathers, roles, and leaving orderly.
 *
 * <p>{@link io.hazelgrad.grid.group.Groups}, {@link io.hazelgrad.grid.group.Roles} and {@link
 * io.hazelgrad.grid.group.Shutdown} are the ways in, each by its {@code of(grid)}.
 */
@NullMarked
package io.hazelgrad.grid.group;

import org.jspecify.annotations.NullMarked;
