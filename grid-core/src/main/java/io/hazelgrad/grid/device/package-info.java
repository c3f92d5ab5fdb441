/**
 * Where tensors live, and where they go in calls. {@link io.hazelgrad.grid.device.Devices} is where
 * to begin.
 */
@NullMarked
package io.hazelgrad.grid.device;

import org.jspecify.annotations.NullMarked;
