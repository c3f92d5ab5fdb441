package io.hazelgrad.rref;

import java.util.concurrent.atomic.AtomicBoolean;

/** Marks a request whose result shall stay on the callee, under the handle's id. */
final class Creation {
  private final Handle handle;
  private final AtomicBoolean over = new AtomicBoolean();

  Creation(Handle handle) {
    this.handle = handle;
  }

  Handle handle() {
    return handle;
  }

  /** Returns true the first time: the outcome is dealt with once. */
  boolean end() {
    return over.compareAndSet(false, true);
  }
}
