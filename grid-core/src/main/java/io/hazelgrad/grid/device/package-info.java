/** The devices of workers, and the device maps by which tensors travel in calls. */
@NullMarked
package io.hazelgrad.grid.device;

import org.jspecify.annotations.NullMarked;
