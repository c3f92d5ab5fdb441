package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.tasks.EntryTask;
import io.hazelgrad.grid.spi.Activity;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Proofs;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a client, from when it enters the grid until it is closed or declared lost. One that
 * comes back after it was lost has another, so that extensions need no second way of ending.
 */
final class ClientRuntime extends CallingRuntime {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRuntime.class);
  private static final long LEAVE_MILLIS = 1000;
  private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Makes the parts; {@link #start} lets members see them. */
  ClientRuntime(
      HazelcastInstance client,
      HazelgradConfig config,
      Config serialization,
      Proofs proofs,
      BiFunction<Directory, GridThreads, Transport> transport) {
    super(client, config, serialization, client.getLocalEndpoint().getUuid(), proofs, transport);
  }

  /** Enters the grid, as a caller that nobody has seen before, and starts the extensions. */
  void start() {
    addCallerGauges();
    listen(new Membership());
    directory.workers();
    EntryTask.requireWelcome(hazelcast, self, proofs);
    ClientDirectory.enter(hazelcast, self);
    addWaits();
    for (GridExtension extension :
        MemberConfiguration.extensions(ClientRuntime.class.getClassLoader())) {
      offer(extension.startClient(this));
    }
  }

  private final class Membership extends MembershipAdapter {
    @Override
    public void memberRemoved(MembershipEvent event) {
      tasks.run(
          () -> {
            var unused = lost(event.getMember().getUuid());
          });
    }
  }

  /** The members have let go what this client held: so does it, and nothing goes out any more. */
  void fence(GridException reason) {
    end(reason);
    endCalls(reason);
    endExtensions();
  }

  @Override
  void depart(GridException reason) {
    endCalls(reason);
    if (reason.status() != Status.FENCED) {
      leave();
    }
  }

  private void leave() {
    try {
      ClientDirectory.leave(hazelcast, self)
          .toCompletableFuture()
          .get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debug("the members will find out by themselves that this client has gone", e);
    }
  }

  /** A client does not follow who the others are, and asks when it wants to know. */
  @Override
  Collection<Worker> clientsKnown(long withinNanos) {
    try {
      return CompletableFuture.supplyAsync(() -> directory.clients().values(), background())
          .get(Math.min(withinNanos, MOST_PATIENCE_NANOS), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
      LOG.debug("the other clients are not known", e);
      return List.of();
    }
  }

  @Override
  public boolean isClient() {
    return true;
  }

  @Override
  public Grid grid() {
    throw new GridException(
        Status.BAD_ARGUMENT, "client " + self.name() + " is no worker and has no Grid");
  }

  @Override
  public Activity activity() {
    return caller.activity(0);
  }

  /** The members hear of clients, a client does not. */
  @Override
  public void onClientGone(Consumer<Worker> listener) {}
}
