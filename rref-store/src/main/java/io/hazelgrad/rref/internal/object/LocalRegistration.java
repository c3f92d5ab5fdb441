package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.handle.LocalObjects;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.Command.Resolve;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enters local objects in the registry when their first handle is sent. Threads: safe. */
public final class LocalRegistration implements LocalObjects {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRegistration.class);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;

  public LocalRegistration(GridContext context, RegistryMap registry, OwnedObjects objects) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
  }

  @Override
  public CompletableFuture<?> register(RRefHandle handle) {
    OwnedObject object = objects.find(handle.id());
    if (object == null) { // This worker is leaving and has dropped it.
      return CompletableFuture.completedFuture(null);
    }
    DurableObject durable = object.durable();
    if (durable == null) {
      return enter(handle, object, Entry.NOT_DURABLE);
    }
    return durable
        .checkpoint()
        .handle(
            (nothing, failure) -> failure == null ? durable.epoch() : notStored(durable, failure))
        .thenCompose(epoch -> enter(handle, object, epoch));
  }

  private CompletableFuture<?> enter(RRefHandle handle, OwnedObject object, int epoch) {
    Worker self = context.self();
    String type = OwnedObject.typeOf(object.value().getNow(null));
    return registry.submit(
        handle.id(),
        new Resolve(self.id(), RRefState.READY, type, handle.fork(), self.id(), epoch));
  }

  private static int notStored(DurableObject durable, Throwable failure) {
    LOG.warn(
        "{} was sent to another worker but could not be stored, so it is not durable",
        durable.id(),
        failure);
    return Entry.NOT_DURABLE;
  }

  @Override
  public void drop(RRefId id) {
    objects.drop(id);
  }
}
