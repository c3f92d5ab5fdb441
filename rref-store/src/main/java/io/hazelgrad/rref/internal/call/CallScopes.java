package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.spi.CallInterceptor.Scope;
import io.hazelgrad.rref.internal.handle.CallHandles;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import org.jspecify.annotations.Nullable;

/** The handles of the call that each thread serves at the moment. Threads: safe. */
public final class CallScopes {
  // One per grid: several grids may live in one JVM, and a thread may serve one and call another.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable CallHandles> current = new ThreadLocal<>();

  @Nullable CallHandles current() {
    return current.get();
  }

  /** Adds a handle to the call on this thread, if there is one, which closes it at its end. */
  public void add(RRefHandle handle) {
    CallHandles handles = current.get();
    if (handles != null) {
      handles.add(handle);
    }
  }

  /** Makes a call the current one of this thread until the scope is closed. */
  Scope enter(CallHandles handles) {
    CallHandles outer = current.get();
    current.set(handles);
    return () -> {
      if (outer == null) {
        current.remove();
      } else {
        current.set(outer);
      }
    };
  }
}
