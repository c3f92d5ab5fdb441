package io.hazelgrad.rref.internal.object;

import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Marks a request whose result shall stay on the callee, under the handle's id. */
public final class CreationAttachment {
  private final RRefHandle handle;
  private final @Nullable Durability durability;
  private final boolean awaited;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile boolean departed;

  public CreationAttachment(RRefHandle handle, @Nullable Durability durability, boolean awaited) {
    this.handle = handle;
    this.durability = durability;
    this.awaited = awaited;
  }

  /** Returns when the object is to be stored, or null if it is not durable. */
  public @Nullable Durability durability() {
    return durability;
  }

  /** Returns whether somebody is likely to wait until it is confirmed. */
  public boolean isAwaited() {
    return awaited;
  }

  public RRefHandle handle() {
    return handle;
  }

  /** The request was written; from now on others may hear of it. */
  public void depart() {
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
