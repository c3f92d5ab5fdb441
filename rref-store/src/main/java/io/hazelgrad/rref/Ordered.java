package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import org.jspecify.annotations.Nullable;

/** On the owner: an object that a request asks it to make. Threads: safe. */
final class Ordered {
  private final RRefId id;
  private final ForkId fork;
  private @Nullable OwnedObject object;
  private boolean dropped;
  private @Nullable GridException refused;

  Ordered(RRefId id, ForkId fork) {
    this.id = id;
    this.fork = fork;
  }

  RRefId id() {
    return id;
  }

  ForkId fork() {
    return fork;
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
