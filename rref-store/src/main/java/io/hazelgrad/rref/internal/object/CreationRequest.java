package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** On the owner: an object that a request asks it to make. Threads: safe. */
public final class CreationRequest {
  private final RRefId id;
  private final ForkId fork;
  private final @Nullable Durability durability;
  private final boolean awaited;
  private @Nullable OwnedObject object;
  private @Nullable CompletableFuture<?> stored;

  /** Ends at once where nothing is entered. */
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

  /** Returns when the object is to be stored, or null if it is not durable. */
  @Nullable Durability durability() {
    return durability;
  }

  /** Returns whether somebody is likely to wait for the entry. */
  boolean isAwaited() {
    return awaited || durability != null; // The function itself waits where that is stored.
  }

  /** The object is made and is being stored. */
  synchronized void storing(CompletableFuture<?> stage) {
    stored = stage;
  }

  /** The object is to be made; its entry is being made meanwhile. */
  synchronized void accept(OwnedObject begun, CompletableFuture<?> entry) {
    object = begun;
    entered = entry;
  }

  /** Returns when the registry knows the object. */
  synchronized CompletableFuture<?> entered() {
    return entered;
  }

  /** Returns what must end before the creator hears of its object. */
  synchronized List<CompletableFuture<?>> stages() {
    return stored == null ? List.of(entered) : List.of(entered, stored);
  }

  /** Returns the object; null if there was no room for it. */
  synchronized @Nullable OwnedObject object() {
    return object;
  }

  /** Says why the work will not run. */
  public synchronized void refuse(GridException failure) {
    refused = failure;
  }

  /** Returns why the work did not run. */
  synchronized GridException failure() {
    return refused != null
        ? refused
        : new GridException(
            Status.TIMEOUT, "the arguments of its function were not confirmed in time");
  }
}
