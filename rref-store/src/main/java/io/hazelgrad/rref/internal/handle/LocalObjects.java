package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.rref.RRefId;
import java.util.concurrent.CompletableFuture;

/** The objects of this worker that were made without a call, as their first handles need them. */
public interface LocalObjects {
  /** Enters the object of a handle in the registry; called when the handle is first sent. */
  CompletableFuture<?> register(RRefHandle handle);

  /** Drops an object that was never registered, when its handle is closed. */
  void drop(RRefId id);
}
