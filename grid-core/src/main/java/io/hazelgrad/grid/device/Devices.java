package io.hazelgrad.grid.device;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.DeviceMaps;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.DeviceMap;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.LocalDevices;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The devices of workers, and from which to which of them tensors go in calls.
 *
 * <p>A worker declares its devices when it joins; it always has the CPU. A tensor on the CPU
 * travels to the CPU. A tensor on another device needs a map of the caller for the callee; without
 * it a call fails before anything is sent. Results come back by the inverse of the caller's map,
 * whatever maps the callee has; a result on a device that is not in it fails the call with
 * BAD_VALUE, and nothing else.
 *
 * <pre>{@code
 * Devices.of(grid).map("w1", Map.of(Device.sim(0), Device.sim(1)));
 * Tensor y = grid.rpc().sync("w1", Layer::forward, x.to(Device.sim(0))); // runs on sim:1
 * y.device(); // sim:0
 * }</pre>
 *
 * <p>Threads: safe. A map counts for calls that are made after it was set.
 */
public final class Devices {
  /** The number of the interceptor's header. */
  private static final int HEADER = 40;

  private final GridContext context;
  private final Worker self;
  private final Set<Device> declared;
  private final @Nullable LocalDevices local;
  private final Map<String, Map<Device, Device>> maps = new ConcurrentHashMap<>();

  /** What was checked against a callee's devices: an incarnation never changes its own. */
  private final Map<Worker, Route> routes = new ConcurrentHashMap<>();

  private record Route(Map<Device, Device> set, DeviceMap map) {}

  Devices(GridContext context) {
    this.context = context;
    this.self = context.self();
    this.declared = context.config().devices();
    this.local = declared.isEmpty() ? null : new LocalDevices(declared);
    maps.putAll(context.config().deviceMaps());
    context.onLost(routes::remove);
    context.interceptor(new Messages());
  }

  /** Returns the devices as a grid sees them. */
  public static Devices of(GridAccess grid) {
    return grid.service(Devices.class);
  }

  /** Returns the devices of this worker beside the CPU. */
  public Set<Device> declared() {
    return declared;
  }

  /**
   * Returns the devices of another worker beside the CPU.
   *
   * @throws GridException UNKNOWN_WORKER if there is none of that name
   */
  public Set<Device> declared(String worker) {
    return declaredBy(context.grid().worker(worker));
  }

  /**
   * Adds to the map for calls to a worker: from devices of this worker to devices of that one. The
   * map belongs to the name: an incarnation that comes later is checked when it is called.
   *
   * @throws GridException UNKNOWN_WORKER if there is none of that name; BAD_CONFIG if one of the
   *     two has not declared a device, or two devices would go to the same; the map is then as
   *     before
   */
  public void map(String callee, Map<Device, Device> more) {
    Set<Device> theirs = declared(callee);
    maps.compute(
        callee,
        (name, before) -> {
          Map<Device, Device> merged = new HashMap<>(before == null ? Map.of() : before);
          merged.putAll(more);
          DeviceMaps.checkTargets(self.name(), callee, theirs, merged);
          return DeviceMaps.checked(self.name(), declared, callee, merged);
        });
  }

  /** Takes the map for calls to a worker away. */
  public void unmap(String callee) {
    maps.remove(callee);
  }

  /** Returns the map for calls to a worker; empty if none was set. */
  public Map<Device, Device> map(String callee) {
    return maps.getOrDefault(callee, Map.of());
  }

  private Set<Device> declaredBy(Worker worker) {
    for (Member member : context.hazelcast().getCluster().getMembers()) {
      if (member.getUuid().equals(worker.incarnation())) {
        return DeviceMaps.of(member);
      }
    }
    throw new GridException(
        Status.WORKER_LOST, "worker " + worker.name() + " (id " + worker.id() + ") has left");
  }

  private @Nullable DeviceMap route(Worker callee) {
    if (maps.isEmpty()) {
      return null;
    }
    Map<Device, Device> set = maps.get(callee.name());
    if (set == null) {
      return null;
    }
    Route route = routes.get(callee);
    if (route == null || route.set != set) {
      DeviceMaps.checkTargets(self.name(), callee.name(), declaredBy(callee), set);
      route = new Route(set, new DeviceMap(way(self, callee), set));
      routes.put(callee, route);
    }
    return route.map;
  }

  private static String way(Worker from, Worker to) {
    return "from worker " + from.name() + " to worker " + to.name();
  }

  /** Attaches the maps to messages; a request carries its caller's for the reply. */
  private final class Messages implements CallInterceptor {
    @Override
    public int header() {
      return HEADER;
    }

    @Override
    public void departing(Outgoing message) {
      Incoming request = message.inReplyTo();
      DeviceMap map =
          request == null ? route(message.receiver()) : request.attachment(DeviceMap.class);
      if (map == null && local != null) { // Only for the words of its failure.
        String which = request == null ? "" : "for the response ";
        map = new DeviceMap(which + way(message.sender(), message.receiver()), Map.of());
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
        String back = "for the response " + way(message.receiver(), message.sender());
        message.attach(DeviceMap.class, read(header).inverse(back));
      }
    }

    private DeviceMap read(WireInput header) {
      Map<Device, Device> targets = new HashMap<>();
      Set<Device> taken = new LinkedHashSet<>();
      try {
        for (int i = header.count(2); i > 0; i--) {
          Device source = Device.parse(header.utf());
          Device target = Device.parse(header.utf());
          targets.put(source, target);
          if (!taken.add(target)) {
            throw header.damaged("two devices go to " + target);
          }
        }
      } catch (IllegalArgumentException e) {
        throw header.damaged(e.getMessage());
      }
      header.end();
      return new DeviceMap("", targets);
    }
  }
}
