package io.hazelgrad.rref;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Marks a request whose result shall stay on the callee, under the handle's id. */
final class Creation {
  private final Handle handle;
  private final @Nullable Durability durability;
  private final boolean awaited;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile boolean departed;

  Creation(Handle handle, @Nullable Durability durability, boolean awaited) {
    this.handle = handle;
    this.durability = durability;
    this.awaited = awaited;
  }

  /** Returns when the object is to be stored, or null if it is not durable. */
  @Nullable Durability durability() {
    return durability;
  }

  /** Returns whether somebody is likely to wait until it is confirmed. */
  boolean isAwaited() {
    return awaited;
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
