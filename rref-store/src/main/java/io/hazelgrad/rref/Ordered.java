package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** On the owner: an object that a request asks it to make. Threads: safe. */
final class Ordered {
  private final RRefId id;
  private final ForkId fork;
  private final @Nullable Durability durability;
  private @Nullable OwnedObject object;
  private @Nullable CompletableFuture<?> stored;
  private boolean dropped;
  private @Nullable GridException refused;

  Ordered(RRefId id, ForkId fork, @Nullable Durability durability) {
    this.id = id;
    this.fork = fork;
    this.durability = durability;
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

  /** The object is made and is being stored. */
  synchronized void storing(CompletableFuture<?> stage) {
    stored = stage;
  }

  /** Returns a stage for the storing of the object, or null if there is nothing to wait for. */
  synchronized @Nullable CompletableFuture<?> stored() {
    return stored;
  }

  /**
   * The registry lets the work begin.
   *
   * @return false if nobody will do it: the request was dropped while the registry was asked
   */
  synchronized boolean accept(OwnedObject begun) {
    object = begun;
    return !dropped;
  }

  /** Returns the object if the registry let its work begin, or null. */
  synchronized @Nullable OwnedObject object() {
    return object;
  }

  /** Says why the work will not run. */
  synchronized void refuse(GridException failure) {
    refused = failure;
  }

  /** Returns why the work did not run. */
  synchronized GridException failure() {
    return refused != null
        ? refused
        : new GridException(
            Status.TIMEOUT, "the arguments of its function were not confirmed in time");
  }

  /** The request was dropped; returns the object if the registry let its work begin, or null. */
  synchronized @Nullable OwnedObject drop() {
    dropped = true;
    return object;
  }
}
