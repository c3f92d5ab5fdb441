package io.hazelgrad.rref;

/** On the owner: an object that a request asks it to make. */
final class Ordered {
  private final RRefId id;
  private final ForkId fork;
  private volatile boolean accepted;

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

  /** Returns whether the registry let the work begin. */
  boolean isAccepted() {
    return accepted;
  }

  void accept() {
    accepted = true;
  }
}
