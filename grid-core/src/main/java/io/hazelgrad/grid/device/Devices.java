package io.hazelgrad.grid.device;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import java.util.Map;
import java.util.Set;

/**
 * The devices of workers, and the device maps of this worker for its calls. Applications do not
 * implement this interface.
 *
 * <p>A worker declares its devices when it joins; every worker has the CPU. A tensor on the CPU
 * travels to the CPU. A tensor on another device needs a device map of the caller for the callee.
 * Without one the call fails before anything is sent. Results come back by the inverse of the
 * caller's map; the callee's maps have no effect on them. A result on a device that is not in the
 * inverse map fails the call with BAD_VALUE.
 *
 * <pre>{@code
 * Devices.of(grid).map("w1", Map.of(Device.sim(0), Device.sim(1)));
 * Tensor y = grid.rpc().sync("w1", Layer::forward, x.to(Device.sim(0))); // runs on sim:1
 * y.device(); // sim:0
 * }</pre>
 *
 * <p>Threads: safe. A map applies to calls that are made after it was set.
 */
public interface Devices {
  /** Returns the devices of a worker. */
  static Devices of(GridAccess grid) {
    return grid.service(Devices.class);
  }

  /** Returns the devices of this worker, without the CPU. */
  Set<Device> declared();

  /** Returns the devices of another worker, without the CPU; throws UNKNOWN_WORKER for none. */
  Set<Device> declared(String worker);

  /**
   * Adds to the device map for calls to a worker. Keys are devices of this worker, values devices
   * of the callee. The map belongs to the callee's name: it also applies to a later incarnation,
   * whose devices are checked when it is called.
   *
   * @throws GridException UNKNOWN_WORKER if no worker has this name; BAD_CONFIG if a device is not
   *     declared, or two would go to the same one. The map then stays as it was
   */
  void map(String callee, Map<Device, Device> more);

  /** Removes the device map for calls to a worker. */
  void unmap(String callee);

  /** Returns the device map for calls to a worker; empty if none was set. */
  Map<Device, Device> map(String callee);
}
