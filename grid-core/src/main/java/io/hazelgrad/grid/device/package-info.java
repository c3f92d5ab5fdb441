/** The devices of workers, and the device maps by which tensors travel in calls. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.device;
