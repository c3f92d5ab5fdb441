package io.hazelgrad.grid;

import com.hazelcast.config.Config;
import com.hazelcast.config.YamlConfigBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a worker: its name, the functions that others may call on it, its limits,
 * and its Hazelcast configuration, by default {@link Config#load()}. It is immutable; the builder
 * is not safe for several threads.
 */
public final class HazelgradConfig {
  /** The part of Hazelcast that carries calls between workers. The workers of a grid may differ. */
  public enum Engine {
    /** Tasks of Hazelcast's executors, which are public API. The default. */
    TASKS,
    /**
     * Operations of our own, which are not public API of Hazelcast, for Hazelcast 5.5 to 5.7. One
     * call takes about as long as a task; the rate of many calls at once is up to 1.4 times higher.
     */
    OPERATIONS;

    /**
     * Returns the engine that {@link #ENGINE_PROPERTY} names, without it {@link #TASKS}.
     *
     * @throws GridException BAD_CONFIG if the property names none
     */
    public static Engine byProperty() {
      String name = System.getProperty(ENGINE_PROPERTY, "tasks");
      for (Engine each : values()) {
        if (each.name().equalsIgnoreCase(name)) {
          return each;
        }
      }
      throw new GridException(
          Status.BAD_CONFIG,
          "the system property %s must be tasks or operations, not \"%s\""
              .formatted(ENGINE_PROPERTY, name));
    }
  }

  /** The system property with the default engine, {@code tasks} or {@code operations}. */
  public static final String ENGINE_PROPERTY = "hazelgrad.engine";

  /** The property of a Hazelcast configuration, or of the system, that names the secret's file. */
  public static final String SECRET_FILE_PROPERTY = "hazelgrad.secret.file";

  /** The member attribute that holds a worker's roles, separated by commas. */
  public static final String ROLES_ATTRIBUTE = "hazelgrad.roles";

  private static final Duration SHORTEST_GRACE = Duration.ofMillis(100);

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9\\-_:]+");
  private static final int MAX_NAME = 127;

  private final String name;
  private final Set<String> functions;
  private final Map<String, Set<String>> functionRoles;
  private final Set<String> values;
  private final List<TypeCodec<?>> codecs;
  private final Set<String> roles;
  private final Duration callTimeout;
  private final int maxRunning;
  private final int maxQueued;
  private final int maxWaiting;
  private final long maxRequestBytes;
  private final Duration reconcileEvery;
  private final Duration clientGrace;
  private final Set<Device> devices;
  private final Map<String, Map<Device, Device>> deviceMaps;
  private final PlaneConfig plane;
  private final boolean quorum;
  private final int foundingSize;
  private final boolean uniqueNames;
  private final Engine engine;
  private final @Nullable Path secret;
  private final Map<Class<?>, Object> options;
  private final @Nullable Config hazelcast;

  private HazelgradConfig(Builder builder) {
    name = builder.name;
    functions = Set.copyOf(builder.functions);
    functionRoles = new TreeMap<>();
    builder.functionRoles.forEach((type, needed) -> functionRoles.put(type, Set.copyOf(needed)));
    values = Set.copyOf(builder.values);
    codecs = List.copyOf(builder.codecs);
    roles = Collections.unmodifiableSortedSet(new TreeSet<>(builder.roles));
    callTimeout = builder.callTimeout;
    maxRunning = builder.maxRunning;
    maxQueued = builder.maxQueued;
    maxWaiting = builder.maxWaiting;
    maxRequestBytes = builder.maxRequestBytes;
    reconcileEvery = builder.reconcileEvery;
    clientGrace = builder.clientGrace;
    devices = Collections.unmodifiableSet(new LinkedHashSet<>(builder.devices));
    deviceMaps = new LinkedHashMap<>();
    builder.deviceMaps.forEach(
        (callee, map) -> deviceMaps.put(callee, DeviceMaps.checked(name, devices, callee, map)));
    plane = builder.plane;
    quorum = builder.quorum;
    foundingSize = builder.foundingSize;
    uniqueNames = builder.uniqueNames;
    engine = builder.engine;
    secret = builder.secret;
    options = Map.copyOf(builder.options);
    hazelcast = builder.hazelcast;
  }

  /**
   * Starts the configuration of a worker.
   *
   * @param name its name: 1 to 127 letters, digits, {@code -}, {@code _} and {@code :}; no other
   *     living worker of the grid has it
   * @throws GridException BAD_CONFIG if the name is not of this form
   */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Returns the worker's name. */
  public String name() {
    return name;
  }

  /** Returns the worker's roles, in order. */
  public Set<String> roles() {
    return roles;
  }

  /** Returns the deadline of calls that name none; zero is none. */
  public Duration callTimeout() {
    return callTimeout;
  }

  /** Returns the number of user functions that run at once on this worker. */
  public int maxRunning() {
    return maxRunning;
  }

  /** Returns the number of calls that may wait for their turn on this worker. */
  public int maxQueued() {
    return maxQueued;
  }

  /** Returns the number of called functions that may wait inside the grid at once. */
  public int maxWaiting() {
    return maxWaiting;
  }

  /** Returns the most bytes of the arguments of a call, see the builder. */
  public long maxRequestBytes() {
    return maxRequestBytes;
  }

  /** Returns the period of reconciliation, see the builder. */
  public Duration reconcileEvery() {
    return reconcileEvery;
  }

  /** Returns the time without a connection after which a client counts as lost. */
  public Duration clientGrace() {
    return clientGrace;
  }

  /** Returns the devices that this worker has beside the CPU. */
  public Set<Device> devices() {
    return devices;
  }

  /** Returns the device maps for calls, by the names of the callees. */
  public Map<String, Map<Device, Device>> deviceMaps() {
    return Collections.unmodifiableMap(deviceMaps);
  }

  /** Returns the limits for the ways of large tensors. */
  public PlaneConfig plane() {
    return plane;
  }

  /** Returns whether this worker stops when it is cut off from most of the others. */
  public boolean quorum() {
    return quorum;
  }

  /** Returns the number of workers that begin a grid together, at least. */
  public int foundingSize() {
    return foundingSize;
  }

  /** Returns whether the operator promises that no two processes of one name run at once. */
  public boolean uniqueNames() {
    return uniqueNames;
  }

  /** Returns the part of Hazelcast that carries the calls of this worker. */
  public Engine engine() {
    return engine;
  }

  /** Returns the file with the grid's secret, or null if it was not set here. */
  public @Nullable Path secret() {
    return secret;
  }

  /** Returns the options of a part of the grid by their class, the given ones if none were set. */
  public <T extends Record> T options(T defaults) {
    @SuppressWarnings("unchecked") // Kept under its class.
    T set = (T) options.getOrDefault(defaults.getClass(), defaults);
    return set;
  }

  /** Returns the Hazelcast configuration to prepare; read anew if none was set. */
  Config hazelcast() {
    return hazelcast == null ? Config.load() : hazelcast;
  }

  /** Returns the names of the classes whose methods others may call, besides annotated ones. */
  public Set<String> functions() {
    return functions;
  }

  /** Returns the roles of which a caller needs one, by the name of the called class. */
  public Map<String, Set<String>> functionRoles() {
    return Collections.unmodifiableMap(functionRoles);
  }

  /** Returns the names of the classes whose values may travel, besides annotated ones. */
  public Set<String> values() {
    return values;
  }

  /** Returns the codecs for types of the application. */
  public List<TypeCodec<?>> codecs() {
    return codecs;
  }

  /**
   * Adds to an application's own Hazelcast configuration what a worker needs: maps, serializers,
   * Jet, the filter for Java serialization and recommended properties that are not set yet. What
   * the application configured itself stays: maps of these names, properties, also as system
   * properties, and the classes that its filter admits. A configuration that says nothing about the
   * network gets one on loopback. Call it before the instance starts; then {@link Grid#on}. Calling
   * it again changes nothing more.
   *
   * @return the same configuration
   * @throws GridException BAD_CONFIG if it has settings that open-source Hazelcast ignores, or by
   *     which whoever connects could run code
   */
  public Config prepare(Config config) {
    return GridProvider.INSTANCE.prepare(config, this);
  }

  /**
   * Reads Hazelcast's YAML, with {@code ${system properties}}; throws BAD_CONFIG for a bad file.
   */
  public static Config readYaml(Path file) {
    if (!Files.isReadable(file)) {
      throw new GridException(Status.BAD_CONFIG, "no readable configuration file: " + file);
    }
    try (InputStream in = Files.newInputStream(file)) {
      Properties properties = new Properties();
      properties.putAll(System.getProperties());
      return new YamlConfigBuilder(in).setProperties(properties).build();
    } catch (IOException | RuntimeException e) {
      String text = "cannot use the configuration file " + file + ": " + e.getMessage();
      throw new GridException(Status.BAD_CONFIG, text, e);
    }
  }

  /** Collects the parts of a {@link HazelgradConfig}. */
  public static final class Builder {
    private final String name;
    private final Set<String> functions = new TreeSet<>();
    private final Map<String, Set<String>> functionRoles = new TreeMap<>();
    private final Set<String> values = new TreeSet<>();
    private final List<TypeCodec<?>> codecs = new ArrayList<>();
    private final Set<String> roles = new TreeSet<>();
    private Duration callTimeout = Duration.ofSeconds(60);
    private int maxRunning = 16;
    private int maxQueued = 100_000;
    private int maxWaiting = 2000;
    private long maxRequestBytes = Runtime.getRuntime().maxMemory() / 4;
    private Duration reconcileEvery = Duration.ofSeconds(10);
    private Duration clientGrace = Duration.ofSeconds(10);
    private final Set<Device> devices = new LinkedHashSet<>();
    private final Map<String, Map<Device, Device>> deviceMaps = new LinkedHashMap<>();
    private PlaneConfig plane = PlaneConfig.defaults();
    private boolean quorum = true;
    private int foundingSize = 1;
    private boolean uniqueNames;
    private Engine engine = Engine.byProperty();
    private @Nullable Path secret;
    private final Map<Class<?>, Object> options = new HashMap<>();
    private @Nullable Config hazelcast;

    private Builder(String name) {
      if (name.isEmpty()) {
        throw new GridException(Status.BAD_CONFIG, "a worker's name must not be empty");
      }
      this.name = checked("a worker's name", name);
    }

    /** Lets others call the methods and constructors of these classes on this worker. */
    public Builder functions(Class<?>... types) {
      Stream.of(types).map(Class::getName).forEach(functions::add);
      return this;
    }

    /**
     * Lets callers that have a role call the methods and constructors of these classes on this
     * worker, and refuses others with NOT_ALLOWED. A class that is given again is for several
     * roles. It counts in place of {@link RemoteFunctions#roles}.
     */
    public Builder functionsFor(String role, Class<?>... types) {
      String needed = checked("a role", role);
      functions(types);
      for (Class<?> type : types) {
        functionRoles.computeIfAbsent(type.getName(), name -> new TreeSet<>()).add(needed);
      }
      return this;
    }

    /**
     * Lets values of these classes travel as {@link RemoteValue} does, exceptions as themselves.
     */
    public Builder values(Class<?>... types) {
      Stream.of(types).map(Class::getName).forEach(values::add);
      return this;
    }

    /**
     * Adds codecs for types of one's own. The workers that exchange such values have codecs of the
     * same names. Of two for one class, the later one is used. It throws BAD_CONFIG if one has no
     * proper name or type, or the name of another.
     */
    public Builder codecs(TypeCodec<?>... added) {
      Codecs.check(List.of(added));
      for (TypeCodec<?> codec : added) {
        if (codecs.stream().anyMatch(known -> known.name().equals(codec.name()))) {
          throw new GridException(Status.BAD_CONFIG, "two codecs are named " + codec.name());
        }
        codecs.add(codec);
      }
      return this;
    }

    /**
     * Gives the worker or client roles: workers are called by them, and functions can be limited to
     * callers that have them ({@link #functionsFor}). They are named as workers. Default none.
     */
    public Builder roles(String... names) {
      for (String role : names) {
        roles.add(checked("a role", role));
      }
      return this;
    }

    private static String checked(String what, String text) {
      if (text.length() > MAX_NAME || !NAME.matcher(text).matches()) {
        throw new GridException(
            Status.BAD_CONFIG,
            "%s has 1 to %s letters, digits, '-', '_' and ':', pattern %s: \"%s\" has %s characters"
                .formatted(what, MAX_NAME, NAME, text, text.length()));
      }
      return text;
    }

    /** Sets the deadline of calls that name none; zero for none. Default 60 s. */
    public Builder callTimeout(Duration timeout) {
      callTimeout = notNegative("callTimeout", timeout);
      return this;
    }

    /** Sets how many user functions run at once. Default 16. */
    public Builder maxRunning(int count) {
      maxRunning = positive("maxRunning", count);
      return this;
    }

    /**
     * Sets the number of calls that may wait for their turn, each with its request but no thread;
     * more are refused with REJECTED. Default 100,000.
     */
    public Builder maxQueued(int count) {
      maxQueued = positive("maxQueued", count);
      return this;
    }

    /**
     * Sets the number of called functions that may wait inside the grid at once, each with its
     * thread; a further wait is refused with REJECTED. Default 2,000.
     */
    public Builder maxWaiting(int count) {
      maxWaiting = positive("maxWaiting", count);
      return this;
    }

    /**
     * Sets the most bytes of the arguments of one call in its message; more are refused with
     * BAD_VALUE before anything is read. Tensors beside the message do not count, see {@link
     * PlaneConfig}. Above zero. Default a quarter of the heap.
     */
    public Builder maxRequestBytes(long bytes) {
      if (bytes < 1) {
        throw new GridException(
            Status.BAD_CONFIG, "maxRequestBytes must be more than zero, not " + bytes);
      }
      maxRequestBytes = bytes;
      return this;
    }

    /**
     * Sets the period in which registry, objects and handles are compared, to repair what lost
     * workers or messages left; above zero. Default 10 s.
     */
    public Builder reconcileEvery(Duration period) {
      reconcileEvery = notNegative("reconcileEvery", period);
      if (period.isZero()) {
        throw new GridException(Status.BAD_CONFIG, "reconcileEvery must be more than zero");
      }
      return this;
    }

    /**
     * Sets how long a client may be without a connection before it counts as lost: then its calls
     * end, and its references are released. The value of the oldest worker counts; set it the same
     * everywhere. The time until members notice comes before: none for a process that died, {@code
     * hazelcast.client.max.no.heartbeat.seconds} for one that is frozen or cut off without a word.
     * At least 100 ms. Default 10 s.
     */
    public Builder clientGrace(Duration grace) {
      if (grace.compareTo(SHORTEST_GRACE) < 0) {
        throw new GridException(
            Status.BAD_CONFIG, "clientGrace must be at least " + SHORTEST_GRACE + ", not " + grace);
      }
      clientGrace = grace;
      return this;
    }

    /** Declares devices that this worker has beside the CPU. */
    public Builder devices(Device... declared) {
      devices.addAll(Arrays.asList(declared));
      return this;
    }

    /**
     * Sets the devices of another worker for tensors on devices of this one, in calls to it;
     * results come back the other way. A second map for a worker adds to the first. The worker need
     * not have joined: its devices are checked when it is called.
     */
    public Builder deviceMap(String callee, Map<Device, Device> map) {
      deviceMaps.computeIfAbsent(callee, name -> new LinkedHashMap<>()).putAll(map);
      return this;
    }

    /** Sets how large tensors travel. Default {@link PlaneConfig#defaults()}. */
    public Builder plane(PlaneConfig settings) {
      plane = settings;
      return this;
    }

    /**
     * Sets whether a worker that is cut off from most of the others stops until it has found them
     * again. Of two equal sides the one with the oldest member goes on. So of two workers the
     * younger one stops if the older one dies: a grid that survives a loss has three. Switched off,
     * every side goes on by itself, and the changes of the smaller one are dropped when they meet
     * again. The same on all workers. Default true.
     */
    public Builder quorum(boolean needed) {
      quorum = needed;
      return this;
    }

    /**
     * Sets how many workers at least begin a grid together. A worker that starts alone, as inside a
     * cut, then waits for others and does not begin a second grid: {@link Grid#join} fails with
     * NO_QUORUM after 15 s. More than half of the usual number is safe: 2 for three workers, 3 for
     * five. With two workers, 2 means that neither starts alone. Only with {@link #quorum}. The
     * same on all workers. Default 1.
     */
    public Builder foundingSize(int workers) {
      foundingSize = positive("foundingSize", workers);
      return this;
    }

    /**
     * Promises that no two processes of one worker's name ever run at once, as a Kubernetes
     * StatefulSet does. After the loss of a majority, a worker that comes back under its name then
     * counts as the proof that the lost process has ended, also at another address. If the promise
     * is broken during a cut, both sides may go on. Only with {@link #quorum}. The same on all
     * workers. Default false: only a process at the same address is a proof.
     */
    public Builder uniqueNames(boolean promised) {
      uniqueNames = promised;
      return this;
    }

    /**
     * Sets the part of Hazelcast that carries the calls that this worker makes; it takes calls of
     * both. A client always uses tasks. Default {@link #ENGINE_PROPERTY}, or else {@link
     * Engine#TASKS}.
     */
    public Builder engine(Engine carrier) {
      engine = carrier;
      return this;
    }

    /**
     * Sets the file with the grid's secret, 16 bytes to 4 KiB, which all workers and clients share.
     * Calls, their replies, streams of tensors and registry commands then carry a proof that the
     * sender has the secret; others are refused with UNAUTHORIZED. The file is read once, when the
     * configuration is prepared or the client connects. Default {@link #SECRET_FILE_PROPERTY}, or
     * else no secret.
     */
    public Builder secret(Path file) {
      secret = file;
      return this;
    }

    /**
     * Sets the options of a part of the grid, in place of earlier ones: {@code RRefOptions}, by
     * default no limit; {@code HealthOptions} and {@code PrometheusOptions}, by default no
     * endpoint.
     */
    public Builder options(Record extension) {
      options.put(extension.getClass(), extension);
      return this;
    }

    /** Sets the Hazelcast configuration that {@link Grid#join} prepares and starts. */
    public Builder hazelcast(Config config) {
      hazelcast = config;
      return this;
    }

    /** Makes the configuration; throws BAD_CONFIG if a device map does not fit the devices. */
    public HazelgradConfig build() {
      return new HazelgradConfig(this);
    }

    private static Duration notNegative(String option, Duration value) {
      if (value.isNegative()) {
        throw new GridException(Status.BAD_CONFIG, option + " must not be negative: " + value);
      }
      return value;
    }

    private static int positive(String option, int value) {
      if (value < 1) {
        throw new GridException(Status.BAD_CONFIG, option + " must be at least 1: " + value);
      }
      return value;
    }
  }
}
