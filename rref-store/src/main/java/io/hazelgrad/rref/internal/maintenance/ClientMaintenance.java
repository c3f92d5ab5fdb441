package io.hazelgrad.rref.internal.maintenance;

import com.hazelcast.topic.ITopic;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.handle.ForkReconciliation;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the handles of a client with the registry. A client owns no objects and keeps no
 * entries, so its rounds do less than those of the {@link Reconciler}. Workers cannot call a
 * client. To restore forks whose entries were lost with their partition, the client therefore asks
 * each worker which entries it restores, periodically and after an announcement on a topic.
 */
public final class ClientMaintenance extends Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(ClientMaintenance.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final ForkReconciliation forks;

  public ClientMaintenance(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      OwnerLookup lookup,
      Predicate<ForkId> awaited,
      LongSupplier calls) {
    super(context, registry, handles, lookup);
    this.forks = new ForkReconciliation(context, registry, handles, awaited, calls);
    listen();
  }

  /** Listens to workers that restore entries. A message may get lost, so rounds ask, too. */
  private void listen() {
    ITopic<Long> topic = context.hazelcast().getTopic(EntryRestoration.TOPIC);
    UUID listener =
        topic.addMessageListener(
            message -> new BackgroundRunner(context).execute(() -> rounds.run(this::restore)));
    context.onClose(
        () -> {
          var unused = topic.removeMessageListener(listener);
        });
  }

  @Override
  void compare() {
    restore();
    forks.run();
    updateOwners();
  }

  /** Asks the workers which entries they restore, and restores the forks of this client. */
  private void restore() {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (Worker worker : context.directory().living().values()) {
      asked.add(restore(worker, List.of()));
    }
    try {
      var unused = CompletableFuture.allOf(asked.toArray(new CompletableFuture<?>[0])).join();
    } catch (CompletionException e) {
      LOG.debug("not every worker answered what it restores; the next round asks again", e);
    }
  }

  /** Reports restored forks to a worker and restores the next ones, until none is left. */
  private CompletableFuture<?> restore(Worker worker, List<@Nullable Object> done) {
    CompletableFuture<List<@Nullable Object>> wanted =
        context.tryCall(worker, EntryRestoration.CLIENTS, done, DEADLINE);
    return wanted.thenCompose(
        asked -> {
          if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(null);
          }
          return handles
              .restore(EntryRestoration.ids(asked))
              .thenCompose(nothing -> restore(worker, asked));
        });
  }

  @Override
  public void drop(GridException reason) {}

  @Override
  public void leave() {
    awaitReplies(handles.releasing());
  }
}
