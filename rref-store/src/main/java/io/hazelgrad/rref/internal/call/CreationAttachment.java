package io.hazelgrad.rref.internal.call;

import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Attached to a request whose result stays on the callee, under the id of a handle. */
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

  /** Returns the durability of the object; null if it is not durable. */
  public @Nullable Durability durability() {
    return durability;
  }

  /** Returns whether somebody probably waits for the confirmation. */
  public boolean isAwaited() {
    return awaited;
  }

  public RRefHandle handle() {
    return handle;
  }

  /** Notes that the request was written: from now on the owner may know of it. */
  public void depart() {
    departed = true;
  }

  boolean hasDeparted() {
    return departed;
  }

  /** Returns true the first time, so that the outcome is handled once. */
  boolean end() {
    return over.compareAndSet(false, true);
  }
}
