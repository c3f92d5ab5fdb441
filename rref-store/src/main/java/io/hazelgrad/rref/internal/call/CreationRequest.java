package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.object.OwnedObject;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The creation that a request asks of this worker, from arrival to reply. Threads: safe. */
public final class CreationRequest {
  private final RRefId id;
  private final ForkId fork;
  private final @Nullable Durability durability;
  private final boolean awaited;
  private @Nullable OwnedObject object;
  private @Nullable CompletableFuture<?> stored;

  /** The entering in the registry; done as long as nothing is entered. */
  private CompletableFuture<?> entered = CompletableFuture.completedFuture(null);

  private @Nullable GridException refused;

  public CreationRequest(RRefId id, ForkId fork, @Nullable Durability durability, boolean awaited) {
    this.id = id;
    this.fork = fork;
    this.durability = durability;
    this.awaited = awaited;
  }

  RRefId id() {
    return id;
  }

  ForkId fork() {
    return fork;
  }

  /** Returns the durability of the object; null if it is not durable. */
  @Nullable Durability durability() {
    return durability;
  }

  /** Returns whether somebody probably waits for the entry. */
  boolean isAwaited() {
    return awaited || durability != null; // The function itself waits for a durable object.
  }

  /** Sets the future of the first checkpoint. */
  synchronized void storing(CompletableFuture<?> stage) {
    stored = stage;
  }

  /** Sets the object, and the future of its entry. */
  synchronized void accept(OwnedObject begun, CompletableFuture<?> entry) {
    object = begun;
    entered = entry;
  }

  /** Returns the future that ends when the registry knows the object. */
  synchronized CompletableFuture<?> entered() {
    return entered;
  }

  /** Returns the futures that must end before the reply leaves. */
  synchronized List<CompletableFuture<?>> stages() {
    return stored == null ? List.of(entered) : List.of(entered, stored);
  }

  /** Returns the object; null if there was no room for it. */
  synchronized @Nullable OwnedObject object() {
    return object;
  }

  /** Sets the reason why the function does not run. */
  public synchronized void refuse(GridException failure) {
    refused = failure;
  }

  /** Returns the reason why the function did not run. */
  synchronized GridException failure() {
    return refused != null
        ? refused
        : new GridException(
            Status.TIMEOUT, "the registry did not confirm the arguments of its function in time");
  }
}
