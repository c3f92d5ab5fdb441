package io.hazelgrad.rref.internal.maintenance;

import com.hazelcast.topic.ITopic;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.handle.ForkReassertion;
import io.hazelgrad.rref.internal.handle.ForkReconciliation;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.runtime.WireIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client does for its references. A worker compares much more (see {@link Reconciler}); a
 * client owns nothing and keeps no part of the registry, so three things are left:
 *
 * <ul>
 *   <li>forks that the registry says are held here and that no handle stands for are released;
 *   <li>handles of durable objects that have another owner learn it;
 *   <li>handles whose entries were lost with their partition are entered again. Nobody can call a
 *       client to ask for that, so it asks each worker what it makes anew, now and then, and when
 *       one announces on a topic that it does.
 * </ul>
 */
public final class ClientMaintenance implements Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMaintenance.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final GridContext context;
  private final HandleTable handles;
  private final ForkReassertion held;
  private final OwnerLookup whereabouts;
  private final ForkReconciliation forks;
  private final CoalescingTask rounds;

  public ClientMaintenance(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      OwnerLookup whereabouts,
      Predicate<ForkId> awaited) {
    this.context = context;
    this.whereabouts = whereabouts;
    this.handles = handles;
    this.held = new ForkReassertion(context, registry, handles);
    this.forks = new ForkReconciliation(context, registry, handles, held, awaited);
    this.rounds =
        new CoalescingTask(
            () -> context.ended() == null && context.hazelcast().getLifecycleService().isRunning(),
            System::nanoTime);
    listen();
  }

  /** Hears of workers that make entries anew. Only a hint: it may not arrive. */
  private void listen() {
    ITopic<Long> topic = context.hazelcast().getTopic(EntryRestoration.TOPIC);
    UUID listener =
        topic.addMessageListener(
            message -> {
              try {
                context.background().execute(() -> rounds.run(this::restore));
              } catch (RejectedExecutionException e) {
                LOG.debug("not looked what is restored: this client is closing", e);
              }
            });
    context.onClose(
        () -> {
          var unused = topic.removeMessageListener(listener);
        });
  }

  @Override
  public void run() {
    rounds.runIfRested(
        () -> {
          restore();
          forks.run();
          whereabouts.refresh(owner -> !context.isLiving(owner));
        });
  }

  /** Asks the workers which entries they make anew, and enters the forks of those held here. */
  private void restore() {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Worker worker : context.living().values()) {
      asked.add(restore(worker, List.of()));
    }
    try {
      var unused = CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])).join();
    } catch (CompletionException e) {
      LOG.debug("not every worker said what it restores; they are asked again", e);
    }
  }

  /** Tells a worker what was done, and does what it asks for then, until that is nothing. */
  private CompletableFuture<?> restore(Worker worker, List<@Nullable Object> done) {
    CompletableFuture<List<@Nullable Object>> wanted;
    try {
      wanted = context.call(worker, EntryRestoration.CLIENTS, done, DEADLINE);
    } catch (GridException e) { // It has left, or this client has ended.
      return CompletableFuture.failedFuture(e);
    }
    return wanted.thenCompose(
        asked -> {
          if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
          }
          Set<RRefId> ids = new HashSet<>();
          asked.forEach(id -> ids.add(WireIds.ofLongs(id)));
          return held.restore(ids).thenCompose(nothing -> restore(worker, asked));
        });
  }

  @Override
  public void drop(GridException reason) {}

  @Override
  public void leave() {
    ShutdownWait.await(handles.releasing());
  }
}
