package io.hazelgrad.rref.internal.call;

import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Attached to a request whose result stays on the callee, under the id of a handle.
 *
 * @param durability null if the object is not durable
 * @param isAwaited whether somebody probably waits for the confirmation
 * @param departed set when the request was written; from then on the owner may know of it
 * @param over set by the first one that handles the outcome
 */
record CreationAttachment(
    RRefHandle handle,
    @Nullable Durability durability,
    boolean isAwaited,
    AtomicBoolean departed,
    AtomicBoolean over) {
  CreationAttachment(RRefHandle handle, @Nullable Durability durability, boolean isAwaited) {
    this(handle, durability, isAwaited, new AtomicBoolean(), new AtomicBoolean());
  }

  /** Returns true the first time, so that the outcome is handled once. */
  boolean end() {
    return over.compareAndSet(false, true);
  }
}
