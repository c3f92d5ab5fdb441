package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.SerializationConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.member.WorkerSerializer;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.internal.tasks.ClientTaskTransport;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.spi.Proofs;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of {@link ClientConnection}, with the succession of the client's incarnations:
 * it checks after a reconnection, and after a suspicious reply, whether the grid has declared the
 * client lost, and then enters again as another incarnation.
 *
 * <p>Threads: safe.
 */
final class GridConnection extends RuntimeAccess<ClientRuntime> implements ClientConnection {
  private static final Logger LOG = LoggerFactory.getLogger(GridConnection.class);

  private static final String PREPARED = "io.hazelgrad.prepared";
  private static final long PAUSE_MILLIS = 1000;
  private static final long END_SECONDS = 5;

  private final Config serialization;
  private final Proofs proofs;
  private final ScheduledExecutorService watch;
  private final UUID lifecycleListener;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();
  private volatile ClientRuntime current;

  GridConnection(HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    super(client, config);
    this.serialization =
        new Config()
            .setSerializationConfig(clientConfig.getSerializationConfig())
            .setClassLoader(clientConfig.getClassLoader());
    this.proofs =
        SecretFile.proofs(config, clientConfig.getProperty(HazelgradConfig.SECRET_FILE_PROPERTY));
    this.watch = watch(config.name());
    try {
      this.current = enter();
      this.lifecycleListener =
          hazelcast
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

  private ClientRuntime tryToEnter() {
    MemberConfiguration.requireSameProtocol(hazelcast);
    ClientRuntime runtime =
        new ClientRuntime(
            hazelcast,
            config,
            serialization,
            proofs,
            (directory, threads) ->
                new FencingTransport(
                    new ClientTaskTransport(hazelcast, threads.deadlines, threads.completions),
                    id -> ClientDirectory.findEntered(hazelcast, id),
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
      if (!closed.get() && hazelcast.getLifecycleService().isRunning()) {
        LOG.debug("whether this client was lost could not be seen yet", e);
        after(PAUSE_MILLIS);
      }
    }
  }

  /** If this client was declared lost, what it was ends, and it goes on as another. */
  private void beWhatTheGridSees() {
    ClientRuntime old = current;
    boolean stays = old.ended() == null && ClientDirectory.isEntered(hazelcast, old.self().id());
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

  static ClientConfig prepareClient(ClientConfig config) {
    CommonPoolCheck.configure();
    if (config.getUserContext().putIfAbsent(PREPARED, true) != null) {
      return config; // Nothing can be added twice.
    }
    SerializationConfig serialization = config.getSerializationConfig();
    serialization.addDataSerializableFactory(SerializerIds.FACTORY, new GridSerializerFactory());
    serialization.getCompactSerializationConfig().addSerializer(new WorkerSerializer());
    MemberConfiguration.extensions(GridConnection.class.getClassLoader())
        .forEach(extension -> extension.prepareClient(config));
    return config;
  }

  @Override
  ClientRuntime current() {
    return current;
  }

  @Override
  public Worker self() {
    return current.self();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      hazelcast.getLifecycleService().removeLifecycleListener(lifecycleListener);
    } catch (RuntimeException e) {
      LOG.debug("the client was shut down before", e); // Then nothing listens any more.
    }
    watch.shutdown();
    try {
      if (!watch.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        LOG.debug("a look whether this client was lost ends with the Hazelcast client");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    current.close();
  }
}
