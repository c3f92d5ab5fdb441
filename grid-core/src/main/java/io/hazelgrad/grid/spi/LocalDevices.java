package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Device;
import java.util.Set;

/** The devices of a message's receiver beside the CPU; an attachment of the message. */
public record LocalDevices(Set<Device> devices) {
  /** Copies the set. */
  public LocalDevices {
    devices = Set.copyOf(devices);
  }
}
