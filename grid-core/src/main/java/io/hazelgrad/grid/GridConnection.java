package io.hazelgrad.grid;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.map.IMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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

  private static final long LEAVE_MILLIS = 1000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What callees see of this client, and its calls, until it is declared lost. */
  private record Incarnation(Worker self, Caller caller) {}

  private final HazelcastInstance client;
  private final HazelgradConfig config;
  private final GridThreads threads;
  private final Directory directory;
  private final IMap<Long, Worker> clients;
  private final Transport transport;
  private final AllowList allowed;
  private final Wire wire;
  private final UUID membershipListener;
  private final UUID lifecycleListener;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();
  private volatile Incarnation current;

  private GridConnection(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    this.client = client;
    this.config = config;
    this.threads = new GridThreads(config);
    try {
      this.directory = new Directory(client, worker -> {});
      this.clients = client.getMap(Clients.CLIENTS);
      this.transport =
          new ClientTransport(client, directory, threads.deadlines(), threads.completions());
      Config view =
          new Config()
              .setSerializationConfig(clientConfig.getSerializationConfig())
              .setClassLoader(clientConfig.getClassLoader());
      this.allowed = config.allowList(view);
      this.wire = new Wire(allowed, config.newCodecs(), config.objectForms(view));
      this.membershipListener = client.getCluster().addMembershipListener(new Losses());
      directory.workers();
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
      threads.close();
      throw e;
    }
  }

  /** Enters the grid, as a caller that nobody has seen before. */
  private Incarnation enter() {
    Worker self = directory.create(config.name(), client.getLocalEndpoint().getUuid());
    clients.set(self.id(), self);
    return new Incarnation(
        self,
        new Caller(
            self,
            directory,
            this::send,
            wire,
            allowed,
            null,
            threads.completions(),
            threads.deadlines()));
  }

  private void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    transport.send(
        to,
        member,
        request,
        reply -> {
          GridException failure = reply.failure();
          if (failure != null
              && failure.status() == Status.FENCED
              && failure.remote() == null
              && !reply.isLost()) {
            checkSoon();
          }
          replyTo.accept(reply);
        });
  }

  private void checkSoon() {
    if (checking.compareAndSet(false, true)) {
      inBackground(this::check);
    }
  }

  /**
   * Looks whether this client was declared lost, until the grid could be asked: the connections may
   * break again meanwhile.
   */
  private synchronized void check() {
    checking.set(false); // First: who has news from now on needs another look.
    try {
      beWhatTheGridSees();
    } catch (RuntimeException e) {
      if (closed.get() || !client.getLifecycleService().isRunning()) {
        return;
      }
      LOG.debug("whether this client was lost could not be seen yet", e);
      threads.deadlines().after(PAUSE_NANOS, this::checkSoon);
    }
  }

  /** If this client was declared lost, what it was ends, and it goes on as another. */
  private void beWhatTheGridSees() {
    Incarnation old = current;
    if (closed.get() || clients.containsKey(old.self.id())) {
      return;
    }
    GridException why = Clients.fenced(old.self);
    LOG.warn("{}", why.getMessage());
    old.caller.close(why);
    Incarnation fresh = enter();
    current = fresh;
    if (closed.get()) { // Here or in close(): one of the two sees it.
      leave(fresh);
    }
  }

  private void leave(Incarnation incarnation) {
    incarnation.caller.close(new GridException(Status.CLOSED, "the connection was closed"));
    try {
      clients
          .removeAsync(incarnation.self.id())
          .toCompletableFuture()
          .get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debug("the members will find out by themselves that this client has gone", e);
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
      inBackground(() -> directory.forget(event.getMember().getUuid()));
    }
  }

  private void inBackground(Runnable work) {
    try {
      threads
          .background()
          .execute(
              () -> {
                try {
                  work.run();
                } catch (RuntimeException e) {
                  LOG.warn("background work failed", e);
                }
              });
    } catch (RejectedExecutionException e) {
      LOG.debug("not done, because the client is closing", e);
    }
  }

  /**
   * Returns this caller, as callees see it. It is not in the grid's directory. Another one after
   * the client was lost to the grid and came back.
   */
  public Worker self() {
    return current.self;
  }

  /** Returns the living workers in the order of their ids. Reads the directory's map. */
  public List<Worker> workers() {
    return current.caller.whileOpen(directory::workers);
  }

  /**
   * Returns a living worker.
   *
   * @throws GridException UNKNOWN_WORKER if there is none of that name
   */
  public Worker worker(String name) {
    return current.caller.find(name);
  }

  /**
   * Returns calls with the configured deadline. After this client was lost to the grid what was got
   * before fails with FENCED.
   */
  public Rpc rpc() {
    return new Rpc(current.caller, new Caller.Options(config.callTimeout(), true, false));
  }

  /** Returns the number of calls that have no answer yet. */
  public int outstandingCalls() {
    return current.caller.outstanding();
  }

  /** Ends all calls that have no answer yet with CLOSED. Closing twice does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    leave(current);
    try {
      client.getLifecycleService().removeLifecycleListener(lifecycleListener);
      client.getCluster().removeMembershipListener(membershipListener);
      directory.close();
    } catch (RuntimeException e) {
      LOG.debug("the client was shut down before", e); // Then nothing listens any more.
    }
    threads.close();
  }
}
