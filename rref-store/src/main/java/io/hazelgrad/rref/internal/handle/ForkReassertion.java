package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Command.Restore;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Restores the forks of handles held here after their entries were lost. Threads: safe. */
public final class ForkReassertion {
  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;

  public ForkReassertion(GridContext context, RegistryMap registry, HandleTable handles) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
  }

  /** Restores the forks of some RRefs; the future ends when the registry has replied. */
  public CompletableFuture<?> restore(Set<RRefId> ids) {
    List<CompletableFuture<?>> restored = new ArrayList<>();
    for (RRefHandle handle : handles.all()) {
      if (ids.contains(handle.id())) {
        restored.add(restore(handle));
      }
    }
    return CompletableFuture.allOf(restored.toArray(new CompletableFuture<?>[0]));
  }

  CompletableFuture<Void> restore(RRefHandle handle) {
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
