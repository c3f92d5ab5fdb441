package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The devices to which the tensors of a message go: from devices of its sender to devices of its
 * receiver. A tensor on the CPU stays there unless the map says otherwise; from any other device a
 * tensor travels only if the map has it. A message has the map as an attachment. The reply to a
 * request, and later the gradients of a message, go by the {@link #inverse}.
 *
 * @param route the two workers, for people, such as {@code "from worker a to worker b"}
 * @param targets the receiver's device for each of the sender's; no two have the same
 */
public record DeviceMap(String route, Map<Device, Device> targets) {
  /** Copies the map. */
  public DeviceMap {
    targets = Map.copyOf(targets);
  }

  /** Returns the receiver's device; throws BAD_VALUE if there is none. */
  public Device target(Device source) {
    Device target = targets.get(source);
    if (target != null) {
      return target;
    }
    if (source.isCpu()) {
      return source;
    }
    throw missing(source, route + (targets.isEmpty() ? "" : ", only " + targets));
  }

  /** Returns the way back. */
  public DeviceMap inverse(String backRoute) {
    Map<Device, Device> inverted = new LinkedHashMap<>();
    targets.forEach((source, target) -> inverted.put(target, source));
    return new DeviceMap(backRoute, inverted);
  }

  static GridException missing(Device source, String route) {
    String form =
        "there is no device mapping for %s %s; let the calling worker set one with"
            + " Devices.of(grid).map(...), or move the tensor with to(Device.CPU)";
    return new GridException(Status.BAD_VALUE, form.formatted(source, route));
  }
}
