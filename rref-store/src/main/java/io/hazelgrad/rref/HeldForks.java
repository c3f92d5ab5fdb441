package io.hazelgrad.rref;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.Command.Restore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Enters the forks that are held here again, after their entries were lost. Threads: safe. */
final class HeldForks {
  private final GridContext context;
  private final RegistryMap registry;
  private final Handles handles;

  HeldForks(GridContext context, RegistryMap registry, Handles handles) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
  }

  /** Enters the forks of some RRefs; the stage ends when the registry has answered. */
  CompletableFuture<?> restore(Set<RRefId> ids) {
    List<CompletableFuture<?>> restored = new ArrayList<>();
    for (Handle handle : handles.all()) {
      if (ids.contains(handle.id())) {
        restored.add(restore(handle));
      }
    }
    return CompletableFuture.allOf(restored.toArray(new CompletableFuture<?>[0]));
  }

  CompletableFuture<Void> restore(Handle handle) {
    return registry
        .submit(handle.id(), new Restore(handle.fork(), context.self().id(), handle.owner().id()))
        .thenAccept(
            reply -> {
              if (!reply.isOk()) {
                handle.fail(registry.refused(handle.id(), handle.owner(), reply));
              }
            });
  }
}
