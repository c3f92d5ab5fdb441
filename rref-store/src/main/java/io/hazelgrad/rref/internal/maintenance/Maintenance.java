package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The periodic work of a worker or client for its references. Threads: safe. */
public abstract sealed class Maintenance permits Reconciler, ClientMaintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(5);

  final GridContext context;
  final RegistryMap registry;
  final HandleTable handles;
  final CoalescingTask rounds = new CoalescingTask(this::isRunning, System::nanoTime);
  private final OwnerLookup lookup;

  Maintenance(GridContext context, RegistryMap registry, HandleTable handles, OwnerLookup lookup) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.lookup = lookup;
  }

  private boolean isRunning() {
    return context.refusal() == null && context.hazelcast().getLifecycleService().isRunning();
  }

  /** Does a round, unless the last one took long and ended only lately. */
  public final void run() {
    rounds.runIfRested(this::compare);
  }

  /** Does one round. */
  abstract void compare();

  /** Updates the owners of durable objects that are lost. */
  final void updateOwners() {
    lookup.refresh(owner -> !context.directory().isLiving(owner));
  }

  /** Drops all objects without messages, since the grid has given this worker or client up. */
  public abstract void drop(GridException reason);

  /** Tells the registry that the objects of a leaving worker or client are lost, and waits. */
  public abstract void leave();

  /** Waits for replies of the registry before this worker or client leaves, up to 5 s. */
  static void awaitReplies(Collection<CompletableFuture<?>> replies) {
    try {
      CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))
          .get(LEAVE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "not all forks were released before leaving; other members reconcile: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
