package io.hazelgrad.rref;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handles that a called function received or made. They are closed when the call ends, unless
 * the function keeps them.
 *
 * <p>Threads: safe; replies that the function waits for are read on other threads.
 */
final class CallScope {
  private final String function;
  private @Nullable List<Handle> handles = new ArrayList<>();

  CallScope(String function) {
    this.function = function;
  }

  String function() {
    return function;
  }

  /** Adds a handle; one that comes after the end of the call belongs to whoever gets it. */
  synchronized void add(Handle handle) {
    if (handles != null) {
      handles.add(handle);
      handle.enter(this);
    }
  }

  void end() {
    List<Handle> ending;
    synchronized (this) {
      ending = handles;
      handles = null;
    }
    if (ending != null) {
      ending.forEach(handle -> handle.leave(this));
    }
  }
}
