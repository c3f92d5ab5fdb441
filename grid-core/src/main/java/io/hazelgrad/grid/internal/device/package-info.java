/** The implementation of {@link io.hazelgrad.grid.device.Devices}. */
@NullMarked
package io.hazelgrad.grid.internal.device;

import org.jspecify.annotations.NullMarked;
