package io.hazelgrad.rref;

import java.util.concurrent.atomic.AtomicBoolean;

/** Marks a request whose result shall stay on the callee, under the handle's id. */
final class Creation {
  private final Handle handle;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile boolean departed;

  Creation(Handle handle) {
    this.handle = handle;
  }

  Handle handle() {
    return handle;
  }

  /** The request was written; from now on others may hear of it. */
  void depart() {
    departed = true;
  }

  boolean hasDeparted() {
    return departed;
  }

  /** Returns true the first time: the outcome is dealt with once. */
  boolean end() {
    return over.compareAndSet(false, true);
  }
}
