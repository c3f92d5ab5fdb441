package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Device;
import java.util.Set;

/**
 * The devices that the receiver of a message has beside the CPU; an attachment of the message.
 *
 * @param devices the devices
 */
public record LocalDevices(Set<Device> devices) {
  /** Copies the set. */
  public LocalDevices {
    devices = Set.copyOf(devices);
  }
}
