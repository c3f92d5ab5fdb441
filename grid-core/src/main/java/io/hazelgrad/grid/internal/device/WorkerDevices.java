package io.hazelgrad.grid.internal.device;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.DeviceMaps;
import io.hazelgrad.grid.DeviceMemory;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.device.Devices;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.DeviceMap;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.LocalDevices;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Chooses the device map of each message and carries it to the callee, for the reply. */
final class WorkerDevices implements Devices, CallInterceptor {
  private static final int HEADER = 40;

  private final GridContext context;
  private final Worker self;
  private final Set<Device> declared;
  private final @Nullable LocalDevices local;
  private final Map<String, Map<Device, Device>> maps = new ConcurrentHashMap<>();

  /** The maps checked against a callee's devices, which an incarnation never changes. */
  private final Map<Worker, CheckedMap> routes = new ConcurrentHashMap<>();

  private record CheckedMap(Map<Device, Device> set, DeviceMap map) {}

  WorkerDevices(GridContext context) {
    this.context = context;
    this.self = context.self();
    this.declared = context.config().devices();
    this.local = declared.isEmpty() ? null : new LocalDevices(declared);
    for (Device device : declared) {
      if (!device.isOfHost()) {
        DeviceMemory memory = DeviceMemory.of(device); // Or BAD_CONFIG.
        context.gauge(
            "device.%s%d.used_bytes".formatted(device.kind(), device.index()),
            () -> memory.usedBytes(device));
      }
    }
    maps.putAll(context.config().deviceMaps());
    context.onLost(routes::remove);
    context.interceptor(this);
  }

  @Override
  public Set<Device> declared() {
    return declared;
  }

  @Override
  public Set<Device> declared(String worker) {
    return declaredBy(context.grid().worker(worker));
  }

  @Override
  public void map(String to, Map<Device, Device> more) {
    Worker worker = context.grid().worker(to);
    String callee = worker.name();
    Set<Device> theirs = declaredBy(worker);
    maps.compute(
        callee,
        (name, before) -> {
          Map<Device, Device> merged = new HashMap<>(before == null ? Map.of() : before);
          merged.putAll(more);
          DeviceMaps.checkTargets(self.name(), callee, theirs, merged);
          return DeviceMaps.checked(self.name(), declared, callee, merged);
        });
  }

  @Override
  public void unmap(String callee) {
    maps.remove(callee);
  }

  @Override
  public Map<Device, Device> map(String callee) {
    return maps.getOrDefault(callee, Map.of());
  }

  private Set<Device> declaredBy(Worker worker) {
    Member member = Directory.memberOf(context.hazelcast(), worker);
    if (member == null) {
      throw new GridException(
          Status.WORKER_LOST, "worker " + worker.name() + " (id " + worker.id() + ") has left");
    }
    return DeviceMaps.of(member);
  }

  private @Nullable DeviceMap route(Worker callee) {
    Map<Device, Device> set = maps.get(callee.name());
    if (set == null) {
      return null;
    }
    CheckedMap route = routes.get(callee);
    if (route == null || route.set != set) {
      DeviceMaps.checkTargets(self.name(), callee.name(), declaredBy(callee), set);
      route = new CheckedMap(set, new DeviceMap(direction(self, callee), set));
      routes.put(callee, route);
    }
    return route.map;
  }

  private static String direction(Worker from, Worker to) {
    return "from worker " + from.name() + " to worker " + to.name();
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void departing(Outgoing message) {
    Incoming request = message.inReplyTo();
    DeviceMap map =
        request == null ? route(message.receiver()) : request.attachment(DeviceMap.class);
    if (map == null && local != null) { // The empty map only names the direction in an error.
      String which = request == null ? "" : "for the response ";
      map = new DeviceMap(which + direction(message.sender(), message.receiver()), Map.of());
    }
    if (map != null) {
      message.attach(DeviceMap.class, map);
    }
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    DeviceMap map = message.isRequest() ? message.attachment(DeviceMap.class) : null;
    if (map != null && !map.targets().isEmpty()) {
      header.varint(map.targets().size());
      map.targets()
          .forEach((source, target) -> header.utf(source.toString()).utf(target.toString()));
    }
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (local != null) {
      message.attach(LocalDevices.class, local);
    }
    if (header != null && message.isRequest()) {
      String back = "for the response " + direction(message.receiver(), message.sender());
      message.attach(DeviceMap.class, read(header).inverse(back));
    }
  }

  private DeviceMap read(WireInput header) {
    Map<Device, Device> targets = new HashMap<>();
    Set<Device> taken = new HashSet<>();
    try {
      for (int i = header.count(2); i > 0; i--) {
        Device source = Device.parse(header.utf());
        Device target = Device.parse(header.utf());
        targets.put(source, target);
        if (!taken.add(target)) {
          throw header.damaged("a device map with two sources for " + target);
        }
      }
    } catch (IllegalArgumentException e) {
      throw header.damaged(e.getMessage());
    }
    header.end();
    return new DeviceMap("", targets);
  }
}
