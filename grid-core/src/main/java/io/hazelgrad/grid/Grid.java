package io.hazelgrad.grid;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.hazelcast.GridSerializerFactory;
import io.hazelgrad.grid.internal.member.ConfigurationGuard;
import io.hazelgrad.grid.internal.member.MemberConfiguration;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.runtime.GpuBackendCheck;
import io.hazelgrad.grid.internal.runtime.GridRuntime;
import io.hazelgrad.grid.internal.runtime.Incarnations;
import io.hazelgrad.grid.internal.serve.ServerCall;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's seat in the grid: one per Hazelcast member; several members, and so several grids, may
 * live in one JVM.
 *
 * <pre>{@code
 * try (Grid grid = Grid.join(HazelgradConfig.named("trainer").build())) {
 *   double score = grid.rpc().sync("ranker", Ranker::score, x);
 * }
 * }</pre>
 *
 * <p>Threads: safe.
 */
public final class Grid implements GridAccess, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Grid.class);
  private static final String USER_CONTEXT_KEY = "io.hazelgrad.grid";

  private final Incarnations incarnations;
  private final HazelcastInstance hazelcast;
  private final boolean ownsInstance;
  private final ConcurrentMap<String, Object> userContext;

  private Grid(HazelcastInstance hazelcast, HazelgradConfig config, boolean ownsInstance) {
    this.userContext = hazelcast.getUserContext(); // Not to be asked for after a shutdown.
    this.ownsInstance = ownsInstance;
    this.hazelcast = hazelcast;
    this.incarnations = new Incarnations(this, hazelcast, config);
  }

  /**
   * Starts a Hazelcast member and makes it a worker. Closing the grid shuts the member down.
   *
   * @throws GridException NAME_TAKEN if a living worker has the name; BAD_CONFIG if the member
   *     cannot start
   */
  public static Grid join(HazelgradConfig config) {
    Config hazelcast = config.prepare(config.hazelcast());
    CommonPoolCheck.check();
    GpuBackendCheck.requireUsable();
    HazelcastInstance instance;
    try {
      instance = Hazelcast.newHazelcastInstance(hazelcast);
    } catch (RuntimeException e) {
      throw new GridException(
          Status.BAD_CONFIG, "the Hazelcast member did not start: " + e.getMessage(), e);
    }
    try {
      return start(instance, config, true);
    } catch (Throwable e) {
      instance.shutdown();
      throw e;
    }
  }

  /**
   * Makes a running member a worker. Its configuration must have been {@link
   * HazelgradConfig#prepare prepared} before it started. Closing the grid leaves the member
   * running.
   *
   * @throws GridException BAD_CONFIG if the member was not prepared or is a worker already;
   *     NAME_TAKEN if another living worker has the name
   */
  public static Grid on(HazelcastInstance instance) {
    CommonPoolCheck.check();
    GpuBackendCheck.requireUsable();
    return start(instance, Preparation.verified(instance), false);
  }

  private static Grid start(
      HazelcastInstance instance, HazelgradConfig config, boolean ownsInstance) {
    if (running(instance) != null) {
      throw alreadyWorker(instance);
    }
    Preparation.requireAllMembersPrepared(instance, config);
    Grid grid = new Grid(instance, config, ownsInstance);
    if (instance.getUserContext().putIfAbsent(USER_CONTEXT_KEY, grid) != null) {
      grid.incarnations.close();
      throw alreadyWorker(instance);
    }
    try {
      grid.incarnations.start();
    } catch (Throwable e) {
      instance.getUserContext().remove(USER_CONTEXT_KEY, grid);
      grid.incarnations.close();
      throw e;
    }
    LOG.info("worker {} joined the grid with id {}", grid.worker().name(), grid.worker().id());
    return grid;
  }

  private static GridException alreadyWorker(HazelcastInstance instance) {
    return new GridException(
        Status.BAD_CONFIG,
        "the Hazelcast instance "
            + instance.getName()
            + " is a worker already: close its grid first");
  }

  /** Returns the grid on an instance, or null. */
  public static @Nullable Grid running(HazelcastInstance instance) {
    return (Grid) instance.getUserContext().get(USER_CONTEXT_KEY);
  }

  /**
   * Returns the grid whose call this thread runs. For called functions, which so reach their
   * worker.
   *
   * @throws GridException BAD_ARGUMENT on any other thread
   */
  public static Grid current() {
    ServerCall call = ServerCall.current();
    if (call == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "Grid.current() is for called functions; thread "
              + Thread.currentThread().getName()
              + " runs none");
    }
    return call.grid();
  }

  /** Takes a request in; the reply goes out when it is there. Never blocks. */
  public void receive(Request request, Consumer<Reply> replyTo) {
    incarnations.receiving().callee().receive(request, replyTo);
  }

  private GridRuntime runtime() {
    return incarnations.current();
  }

  /** Returns this worker; another one after {@link GridListener#rejoined}. */
  public Worker worker() {
    return runtime().self();
  }

  @Override
  public List<Worker> workers() {
    return runtime().workers();
  }

  @Override
  public Worker worker(String name) {
    return runtime().worker(name, runtime().callTimeout());
  }

  @Override
  public Rpc rpc() {
    return runtime().rpc();
  }

  @Override
  public Codecs codecs() {
    return runtime().codecs();
  }

  @Override
  public <S> S service(Class<S> type) {
    return runtime().service(type);
  }

  @Override
  public HazelcastInstance hazelcast() {
    return hazelcast;
  }

  @Override
  public int outstandingCalls() {
    return runtime().caller().outstanding();
  }

  /** Hears when this worker is cut off from the others and when it is back. */
  public void addListener(GridListener listener) {
    incarnations.add(listener);
  }

  /** Ends what {@link #addListener} began. */
  public void removeListener(GridListener listener) {
    incarnations.remove(listener);
  }

  /**
   * Returns whether this worker is cut off now: calls fail with FENCED until it has found the
   * others again.
   */
  public boolean isFenced() {
    return incarnations.isFenced();
  }

  /** Returns the number of calls to this worker, also its own, that have not ended here. */
  public int activeCalls() {
    return runtime().callee().active();
  }

  /** Returns whether this grid has been closed. */
  public boolean isClosed() {
    return incarnations.isClosed();
  }

  /**
   * Leaves the grid: what the modules hold is released, calls without an answer end with CLOSED,
   * the name is free again. A member that {@link #join} started is shut down. Closing twice does
   * nothing. If the member is shut down first, the grid closes by itself, but what the modules hold
   * is then only released when the others notice.
   */
  @Override
  public void close() {
    incarnations.close();
    userContext.remove(USER_CONTEXT_KEY, this);
    if (ownsInstance) {
      hazelcast.getLifecycleService().shutdown();
    }
  }

  @Override
  public String toString() {
    return "Grid(" + worker().name() + ")";
  }

  /** Checks that Hazelcast members carry what a worker needs. */
  private static final class Preparation {
    static HazelgradConfig verified(HazelcastInstance instance) {
      Config config = instance.getConfig();
      ConfigurationGuard.check(config);
      List<String> missing = new ArrayList<>();
      Object found = config.getUserContext().get(MemberConfiguration.USER_CONTEXT_KEY);
      if (!(found instanceof HazelgradConfig)) {
        missing.add("the user context entry " + MemberConfiguration.USER_CONTEXT_KEY);
      }
      if (!(config
              .getSerializationConfig()
              .getDataSerializableFactories()
              .get(GridSerializerFactory.FACTORY_ID)
          instanceof GridSerializerFactory)) {
        missing.add("the serializer factory " + GridSerializerFactory.FACTORY_ID);
      }
      if (config.getSerializationConfig().getJavaSerializationFilterConfig() == null) {
        missing.add("the filter for Java serialization");
      }
      if (!config.getJetConfig().isEnabled()) {
        missing.add("Jet, enabled");
      }
      if (missing.isEmpty() && found instanceof HazelgradConfig prepared) {
        return prepared;
      }
      throw new GridException(
          Status.BAD_CONFIG,
          "the Hazelcast instance "
              + instance.getName()
              + " was started without "
              + String.join(", ", missing)
              + ": call HazelgradConfig.named(\"name\").build().prepare(config) before it starts;"
              + " adding them to a running instance is too late");
    }

    static void requireAllMembersPrepared(HazelcastInstance instance, HazelgradConfig config) {
      List<String> without = new ArrayList<>();
      for (Member member : instance.getCluster().getMembers()) {
        if (!MemberConfiguration.isPrepared(member)) {
          without.add(member.getAddress().toString());
        } else if (QuorumService.isVoter(member) != config.quorum() && !member.isLiteMember()) {
          throw new GridException(
              Status.BAD_CONFIG,
              "quorum is "
                  + (config.quorum() ? "on" : "off")
                  + " here, but not at the member "
                  + member.getAddress()
                  + ": HazelgradConfig.quorum must be the same on all workers");
        }
      }
      if (!without.isEmpty()) {
        throw new GridException(
            Status.BAD_CONFIG,
            "every data member needs Hazelgrad on its class path and HazelgradConfig.prepare(...);"
                + " these were started without: "
                + without);
      }
    }
  }
}
