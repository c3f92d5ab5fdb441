package io.hazelgrad.rref.internal.handle;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handles that a called function received or made. They are closed when the call ends, unless
 * the function keeps them. Threads: safe, since other threads read the replies that it waits for.
 */
public final class CallHandles {
  final String function;
  private @Nullable List<RRefHandle> handles = new ArrayList<>();

  public CallHandles(String function) {
    this.function = function;
  }

  /** Adds a handle; one that comes after the end of the call must be closed by its receiver. */
  public synchronized void add(RRefHandle handle) {
    if (handles != null) {
      handles.add(handle);
      handle.enter(this);
    }
  }

  /** Closes the handles that were not kept. */
  public void end() {
    List<RRefHandle> ending;
    synchronized (this) {
      ending = handles;
      handles = null;
    }
    if (ending != null) {
      ending.forEach(handle -> handle.leave(this));
    }
  }
}
