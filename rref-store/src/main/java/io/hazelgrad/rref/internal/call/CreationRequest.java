package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The creation that a request asks of this worker, from arrival to reply. Threads: safe. */
final class CreationRequest {
  final RRefId id;
  final ForkId fork;

  /** The durability of the object; null if it is not durable. */
  final @Nullable Durability durability;

  private final boolean awaited;
  private volatile @Nullable OwnedObject object;

  /** The first checkpoint of a durable object. */
  private volatile @Nullable CompletableFuture<?> stored;

  /** The entering in the registry; done as long as nothing is entered. */
  private volatile CompletableFuture<?> entered = CompletableFuture.completedFuture(null);

  private volatile @Nullable GridException refused;

  CreationRequest(RRefId id, ForkId fork, @Nullable Durability durability, boolean awaited) {
    this.id = id;
    this.fork = fork;
    this.durability = durability;
    this.awaited = awaited;
  }

  /** Returns the creation of a request; null if it asks for none, or there was no room. */
  static @Nullable CreationRequest begun(Incoming request) {
    CreationRequest creation = request.attachment(CreationRequest.class);
    return creation == null || creation.object == null ? null : creation;
  }

  /** Returns whether somebody probably waits for the entry. */
  boolean isAwaited() {
    return awaited || durability != null; // The function itself waits for a durable object.
  }

  void storing(CompletableFuture<?> stage) {
    stored = stage;
  }

  void accept(OwnedObject begun, CompletableFuture<?> entry) {
    entered = entry;
    object = begun;
  }

  /** Returns the future that ends when the registry knows the object. */
  CompletableFuture<?> entered() {
    return entered;
  }

  /** Returns the futures that must end before the reply leaves. */
  List<CompletableFuture<?>> stages() {
    CompletableFuture<?> checkpoint = stored;
    return checkpoint == null ? List.of(entered) : List.of(entered, checkpoint);
  }

  /** Returns the object of a creation that has {@link #begun}. */
  OwnedObject object() {
    return Objects.requireNonNull(object);
  }

  void refuse(GridException failure) {
    refused = failure;
  }

  /** Returns the reason why the function did not run. */
  GridException failure() {
    GridException known = refused;
    return known != null
        ? known
        : new GridException(
            Status.TIMEOUT, "the registry did not confirm the arguments of its function in time");
  }
}
