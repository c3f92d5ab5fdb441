package io.hazelgrad.grid;

import com.hazelcast.cluster.Member;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules of device maps, and the devices of members. Applications use {@code Devices}. */
public final class DeviceMaps {
  /** The attribute of a member that has its devices beside the CPU. */
  public static final String ATTRIBUTE = "hazelgrad.devices";

  private static final String SEPARATOR = " ";

  private DeviceMaps() {}

  public static String attribute(Collection<Device> devices) {
    return devices.stream().map(Device::toString).collect(Collectors.joining(SEPARATOR));
  }

  /** Returns the devices that a member has declared beside the CPU. */
  public static Set<Device> of(Member member) {
    Set<Device> devices = new LinkedHashSet<>();
    String attribute = member.getAttribute(ATTRIBUTE);
    if (attribute != null && !attribute.isEmpty()) {
      Stream.of(attribute.split(SEPARATOR, -1)).map(Device::parse).forEach(devices::add);
    }
    return devices;
  }

  /** Returns a copy of a map after checking it as far as its sender can. */
  public static Map<Device, Device> checked(
      String self, Set<Device> declared, String callee, Map<Device, Device> map) {
    Map<Device, Device> sources = new HashMap<>();
    map.forEach(
        (source, target) -> {
          if (!source.isCpu() && !declared.contains(source)) {
            throw bad(self, callee, self, source, declared);
          }
          Device other = sources.put(target, source);
          if (other != null) {
            String form =
                "the device map of worker %s for worker %s sends both %s and %s to %s;"
                    + " results could not find back";
            throw new GridException(
                Status.BAD_CONFIG, form.formatted(self, callee, other, source, target));
          }
        });
    return Map.copyOf(map);
  }

  /** Checks that the callee has what a map sends tensors to. */
  public static void checkTargets(
      String self, String callee, Set<Device> declared, Map<Device, Device> map) {
    for (Device target : map.values()) {
      if (!target.isCpu() && !declared.contains(target)) {
        throw bad(self, callee, callee, target, declared);
      }
    }
  }

  private static GridException bad(
      String self, String callee, String owner, Device device, Set<Device> declared) {
    String all = declared.isEmpty() ? "cpu" : "cpu and " + declared;
    String form =
        "the device map of worker %s for worker %s has %s, but worker %s has only %s;"
            + " it declares devices with HazelgradConfig.devices(...)";
    return new GridException(Status.BAD_CONFIG, form.formatted(self, callee, device, owner, all));
  }
}
