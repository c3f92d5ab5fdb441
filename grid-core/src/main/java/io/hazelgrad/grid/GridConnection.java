package io.hazelgrad.grid;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
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

  private final HazelcastInstance client;
  private final HazelgradConfig config;
  private final GridThreads threads;
  private final Directory directory;
  private final Worker self;
  private final Caller caller;
  private final UUID membershipListener;
  private final AtomicBoolean closed = new AtomicBoolean();

  private GridConnection(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    this.client = client;
    this.config = config;
    this.threads = new GridThreads(config);
    try {
      this.directory = new Directory(client, worker -> {});
      this.self = directory.create(config.name(), client.getLocalEndpoint().getUuid());
      Transport transport =
          new ClientTransport(client, directory, threads.deadlines(), threads.completions());
      Config view =
          new Config()
              .setSerializationConfig(clientConfig.getSerializationConfig())
              .setClassLoader(clientConfig.getClassLoader());
      AllowList allowed = config.allowList(view);
      this.caller =
          new Caller(
              self,
              directory,
              transport,
              new Wire(allowed, config.newCodecs(), config.objectForms(view)),
              allowed,
              null,
              threads.completions(),
              threads.deadlines());
      this.membershipListener = client.getCluster().addMembershipListener(new Losses());
      directory.workers();
    } catch (Throwable e) {
      threads.close();
      throw e;
    }
  }

  /** Adds to a client's configuration what calls need. Before the client starts. */
  public static ClientConfig prepare(ClientConfig config) {
    CommonPool.configure();
    config
        .getSerializationConfig()
        .getCompactSerializationConfig()
        .addSerializer(new WorkerSerializer());
    return config;
  }

  /**
   * Begins to call over a client that is connected; closing leaves the client running.
   *
   * @param clientConfig what the client was started with, {@link #prepare prepared} before
   * @param config the name that callees see, what may travel, and the deadline of calls
   * @throws GridException BAD_CONFIG if it is not a client as Hazelcast makes it
   */
  public static GridConnection over(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    return new GridConnection(client, clientConfig, config);
  }

  /** Forgets workers whose members leave. */
  private final class Losses implements MembershipListener {
    @Override
    public void memberAdded(MembershipEvent event) {}

    @Override
    public void memberRemoved(MembershipEvent event) {
      try {
        threads.background().execute(() -> directory.forget(event.getMember().getUuid()));
      } catch (RejectedExecutionException e) {
        LOG.debug("not noted, because the client is closing", e);
      }
    }
  }

  /** Returns this caller, as callees see it. It is not in the grid's directory. */
  public Worker self() {
    return self;
  }

  /** Returns the living workers in the order of their ids. Reads the directory's map. */
  public List<Worker> workers() {
    return caller.whileOpen(directory::workers);
  }

  /**
   * Returns a living worker.
   *
   * @throws GridException UNKNOWN_WORKER if there is none of that name
   */
  public Worker worker(String name) {
    return caller.find(name);
  }

  /** Returns calls with the configured deadline. */
  public Rpc rpc() {
    return new Rpc(caller, new Caller.Options(config.callTimeout(), true, false));
  }

  /** Returns the number of calls that have no answer yet. */
  public int outstandingCalls() {
    return caller.outstanding();
  }

  /** Ends all calls that have no answer yet with CLOSED. Closing twice does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    caller.close(new GridException(Status.CLOSED, "the connection was closed"));
    try {
      client.getCluster().removeMembershipListener(membershipListener);
      directory.close();
    } catch (RuntimeException e) {
      LOG.debug("the client was shut down before", e); // Then nothing listens any more.
    }
    threads.close();
  }
}
