package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.hazelcast.ClientTransport;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.member.WorkerSerializer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calling half of a grid over a Hazelcast client. Applications use {@code GridClient} of the
 * module client, which is made of this.
 *
 * <p>Threads: safe.
 */
public final class GridConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GridConnection.class);

  private static final String PREPARED = "io.hazelgrad.prepared";
  private static final long PAUSE_MILLIS = 1000;
  private static final long END_SECONDS = 5;

  private final HazelcastInstance client;
  private final HazelgradConfig config;
  private final Config serialization;
  private final ScheduledExecutorService watch;
  private final UUID lifecycleListener;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();
  private volatile ClientRuntime current;

  private GridConnection(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    this.client = client;
    this.config = config;
    this.serialization =
        new Config()
            .setSerializationConfig(clientConfig.getSerializationConfig())
            .setClassLoader(clientConfig.getClassLoader());
    this.watch = watch(config.name());
    try {
      this.current = enter();
      this.lifecycleListener =
          client
              .getLifecycleService()
              .addLifecycleListener(
                  event -> {
                    if (event.getState() == LifecycleEvent.LifecycleState.CLIENT_CONNECTED) {
                      checkSoon();
                    }
                  });
    } catch (Throwable e) {
      watch.shutdown();
      throw e;
    }
  }

  /** Returns a thread of its own, which no runtime takes along; it is there while it is needed. */
  private static ScheduledExecutorService watch(String name) {
    ScheduledThreadPoolExecutor watch =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "hazelgrad-" + name + "-watch");
              thread.setDaemon(true);
              return thread;
            });
    watch.setKeepAliveTime(1, TimeUnit.SECONDS);
    watch.allowCoreThreadTimeOut(true);
    return watch;
  }

  /** Enters the grid; once more if the member through which it did so has died meanwhile. */
  private ClientRuntime enter() {
    return Directory.insist(this::tryToEnter);
  }

  /** Enters the grid, as a caller that nobody has seen before. */
  private ClientRuntime tryToEnter() {
    ClientRuntime runtime =
        new ClientRuntime(
            client,
            config,
            serialization,
            (directory, threads) ->
                new FencingTransport(
                    new ClientTransport(
                        client, directory, threads.deadlines(), threads.completions()),
                    id -> ClientDirectory.findEntered(client, id),
                    this::checkSoon));
    try {
      runtime.start();
      return runtime;
    } catch (Throwable e) {
      runtime.close();
      throw e;
    }
  }

  private void checkSoon() {
    if (checking.compareAndSet(false, true)) {
      after(0);
    }
  }

  private void after(long millis) {
    try {
      var unused = watch.schedule(this::check, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("not looked whether this client was lost, because it is closing", e);
    }
  }

  /**
   * Looks whether this client was declared lost, until the grid could be asked: the connections may
   * break again meanwhile.
   */
  private void check() {
    checking.set(false); // First: who has news from now on needs another look.
    try {
      beWhatTheGridSees();
    } catch (RuntimeException e) {
      if (!closed.get() && client.getLifecycleService().isRunning()) {
        LOG.debug("whether this client was lost could not be seen yet", e);
        after(PAUSE_MILLIS);
      }
    }
  }

  /** If this client was declared lost, what it was ends, and it goes on as another. */
  private void beWhatTheGridSees() {
    ClientRuntime old = current;
    boolean stays = old.ended() == null && ClientDirectory.isEntered(client, old.self().id());
    if (closed.get() || stays) {
      return;
    }
    if (old.ended() == null) {
      GridException why = ClientDirectory.fenced(old.self());
      LOG.warn("{}", why.getMessage());
      old.fence(why);
    }
    ClientRuntime fresh = enter();
    current = fresh;
    old.close();
    if (closed.get()) { // Here or in close(): one of the two sees it.
      fresh.close();
    }
  }

  /**
   * Adds to a client's configuration what calls need. Before the client starts. One that was
   * prepared before, for an attempt that failed or another client, stays as it is.
   */
  public static ClientConfig prepare(ClientConfig config) {
    CommonPoolCheck.configure();
    if (config.getUserContext().putIfAbsent(PREPARED, true) != null) {
      return config; // Nothing can be added twice.
    }
    config
        .getSerializationConfig()
        .getCompactSerializationConfig()
        .addSerializer(new WorkerSerializer());
    MemberConfiguration.extensions(GridConnection.class.getClassLoader())
        .forEach(extension -> extension.prepareClient(config));
    return config;
  }

  /**
   * Begins to call over a client that is connected; closing leaves the client running.
   *
   * @param clientConfig what the client was started with, {@link #prepare prepared} before
   * @param config the name that callees see, what may travel, and the deadline of calls
   * @throws GridException BAD_CONFIG if it is not a client as Hazelcast makes it; WORKER_LOST or
   *     NO_QUORUM if for 15 s it could not enter the grid, TIMEOUT if a member does not answer
   */
  public static GridConnection over(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    return new GridConnection(client, clientConfig, config);
  }

  /**
   * Returns this caller, as callees see it. It is not in the grid's directory. Another one after
   * the client was lost to the grid and came back.
   */
  public Worker self() {
    return current.self();
  }

  /**
   * Returns the living workers in the order of their ids. Reads the directory's map.
   *
   * @throws GridException TIMEOUT if a member that keeps a part of it does not answer within the
   *     configured deadline
   */
  public List<Worker> workers() {
    return current.workers();
  }

  /**
   * Returns a living worker.
   *
   * @throws GridException UNKNOWN_WORKER if there is none of that name; TIMEOUT if the member that
   *     keeps its entry does not answer within the configured deadline
   */
  public Worker worker(String name) {
    return current.worker(name, current.callTimeout());
  }

  /**
   * Returns calls with the configured deadline. After this client was lost to the grid what was got
   * before fails with FENCED.
   */
  public Rpc rpc() {
    return current.rpc();
  }

  /**
   * Returns the codecs of this caller, to use more of them for a while; others after this client
   * was lost to the grid.
   */
  public Codecs codecs() {
    return current.codecs;
  }

  /** Returns the number of calls that have no answer yet. */
  public int outstandingCalls() {
    return current.caller.outstanding();
  }

  /**
   * Returns the service of a module that has a part on clients, such as {@code RRefs}. After this
   * client was lost to the grid, another one.
   *
   * @throws GridException BAD_CONFIG if no module offers it to clients
   */
  public <S> S service(Class<S> type) {
    return current.service(type);
  }

  /**
   * Lets go what modules hold, within 5 s, and ends all calls that have no answer yet with CLOSED.
   * Closing twice does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      client.getLifecycleService().removeLifecycleListener(lifecycleListener);
    } catch (RuntimeException e) {
      LOG.debug("the client was shut down before", e); // Then nothing listens any more.
    }
    watch.shutdown();
    current.close();
    try {
      if (!watch.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        LOG.debug("a look whether this client was lost ends with the Hazelcast client");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
