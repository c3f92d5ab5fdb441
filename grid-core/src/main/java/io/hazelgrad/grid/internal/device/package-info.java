/** The implementation of {@link io.hazelgrad.grid.device.Devices}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.device;
