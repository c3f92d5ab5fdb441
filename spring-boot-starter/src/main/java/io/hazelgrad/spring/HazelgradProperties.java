package io.hazelgrad.spring;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.HazelgradConfig.Engine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the worker, {@code hazelgrad.*}. They are settings of {@link HazelgradConfig},
 * with its defaults; a {@link HazelgradConfigCustomizer} sets the others.
 *
 * @param enabled whether the application becomes a worker
 * @param name the worker's name, which no other living worker has; by default
 *     spring.application.name
 * @param roles roles of the worker, by which others can call it
 * @param functions classes whose methods others may call, besides those with @RemoteFunctions
 * @param values classes whose values may travel, besides those with @RemoteValue
 * @param devices devices that the worker has beside the CPU, such as cuda:0
 * @param callTimeout deadline of calls that name none; zero for none
 * @param maxRunning number of user functions that run at once
 * @param maxQueued number of calls that may wait for their turn
 * @param maxWaiting number of called functions that may wait inside the grid at once
 * @param maxRequestBytes most bytes of the arguments of one call in its message; by default a
 *     quarter of the heap
 * @param reconcileEvery period in which registry, objects and handles are compared
 * @param clientGrace time without a connection after which a client counts as lost
 * @param quorum whether a worker that is cut off from most of the others stops until it has found
 *     them again; the same on all workers
 * @param foundingSize number of workers that begin a grid together, at least; the same on all
 *     workers
 * @param uniqueNames promise that no two processes of one worker's name ever run at once; the same
 *     on all workers
 * @param engine part of Hazelcast that carries the calls of this worker; by default tasks
 * @param secretFile file with the secret that all workers and clients of the grid share
 * @param drain longest wait for calls under way when the application ends
 */
@ConfigurationProperties("hazelgrad")
public record HazelgradProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String name,
    @DefaultValue List<String> roles,
    @DefaultValue List<Class<?>> functions,
    @DefaultValue List<Class<?>> values,
    @DefaultValue List<String> devices,
    @DefaultValue("60s") Duration callTimeout,
    @DefaultValue("16") int maxRunning,
    @DefaultValue("100000") int maxQueued,
    @DefaultValue("2000") int maxWaiting,
    @Nullable DataSize maxRequestBytes,
    @DefaultValue("10s") Duration reconcileEvery,
    @DefaultValue("10s") Duration clientGrace,
    @DefaultValue("true") boolean quorum,
    @DefaultValue("1") int foundingSize,
    @DefaultValue("false") boolean uniqueNames,
    @Nullable Engine engine,
    @Nullable Path secretFile,
    @DefaultValue("10s") Duration drain) {
  private static final String PREFIX = "hazelgrad.";
  private static final String APPLICATION = "spring.application.name";

  /** Copies the lists; throws if the drain is negative. */
  public HazelgradProperties {
    roles = List.copyOf(roles);
    functions = List.copyOf(functions);
    values = List.copyOf(values);
    devices = List.copyOf(devices);
    if (drain.isNegative()) {
      throw new BadPropertyException(
          PREFIX + "drain", drain, "it must not be negative; zero waits for no call", null);
    }
  }

  /**
   * Starts the configuration of the worker.
   *
   * @param application the application's name, which is the default of the worker's
   * @throws BadPropertyException if the grid refuses a value
   */
  HazelgradConfig.Builder builder(@Nullable String application) {
    HazelgradConfig.Builder builder = named(application);
    set("roles", roles, () -> builder.roles(roles.toArray(String[]::new)));
    set("functions", functions, () -> builder.functions(functions.toArray(Class<?>[]::new)));
    set("values", values, () -> builder.values(values.toArray(Class<?>[]::new)));
    devices.forEach(device -> set("devices", device, () -> builder.devices(Device.parse(device))));
    set("call-timeout", callTimeout, () -> builder.callTimeout(callTimeout));
    set("max-running", maxRunning, () -> builder.maxRunning(maxRunning));
    set("max-queued", maxQueued, () -> builder.maxQueued(maxQueued));
    set("max-waiting", maxWaiting, () -> builder.maxWaiting(maxWaiting));
    if (maxRequestBytes != null) {
      long bytes = maxRequestBytes.toBytes();
      set("max-request-bytes", maxRequestBytes, () -> builder.maxRequestBytes(bytes));
    }
    set("reconcile-every", reconcileEvery, () -> builder.reconcileEvery(reconcileEvery));
    set("client-grace", clientGrace, () -> builder.clientGrace(clientGrace));
    builder.quorum(quorum);
    set("founding-size", foundingSize, () -> builder.foundingSize(foundingSize));
    builder.uniqueNames(uniqueNames);
    if (engine != null) {
      builder.engine(engine);
    }
    if (secretFile != null) {
      if (!Files.isReadable(secretFile)) {
        throw new BadPropertyException(
            PREFIX + "secret-file", secretFile, "no readable file is there", null);
      }
      builder.secret(secretFile);
    }
    return builder;
  }

  private HazelgradConfig.Builder named(@Nullable String application) {
    String property = name == null ? APPLICATION : PREFIX + "name";
    String value = name == null ? application : name;
    if (value == null) {
      throw new BadPropertyException(
          PREFIX + "name", null, "a worker needs a name, and " + APPLICATION + " is not set", null);
    }
    try {
      return HazelgradConfig.named(value);
    } catch (GridException e) {
      throw new BadPropertyException(property, value, e.getMessage(), e);
    }
  }

  private static void set(String property, Object value, Runnable setter) {
    try {
      setter.run();
    } catch (GridException | IllegalArgumentException e) {
      throw new BadPropertyException(PREFIX + property, value, e.getMessage(), e);
    }
  }
}
