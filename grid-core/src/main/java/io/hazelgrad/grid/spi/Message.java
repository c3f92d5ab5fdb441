package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One message of a call, a request or a reply, on one of its two sides. Extensions keep what they
 * know of it as attachments. Threads: used by one thread at a time.
 */
public abstract sealed class Message permits Outgoing, Incoming {
  private final CallInfo call;
  private final boolean request;
  private final Map<Class<?>, Object> attachments = new HashMap<>(4);
  private long bytes;

  Message(CallInfo call, boolean request) {
    this.call = call;
    this.request = request;
  }

  /** Returns the call that this message belongs to. */
  public CallInfo call() {
    return call;
  }

  /** Returns whether this is the request; otherwise it is the reply. */
  public boolean isRequest() {
    return request;
  }

  /** Returns who sends it. */
  public Worker sender() {
    return request ? call.caller() : call.callee();
  }

  /** Returns who receives it. */
  public Worker receiver() {
    return request ? call.callee() : call.caller();
  }

  /** Returns its size on the wire, zero before it was written or arrived. */
  public long bytes() {
    return bytes;
  }

  /** Sets its size on the wire. For the grid. */
  public void bytes(long count) {
    bytes = count;
  }

  /** Returns what was attached under a type, or null. */
  public <A> @Nullable A attachment(Class<A> type) {
    return type.cast(attachments.get(type));
  }

  /** Returns what was attached under a type; attaches a new one if there is none. */
  public <A> A attachment(Class<A> type, Supplier<A> make) {
    A found = attachment(type);
    if (found == null) {
      found = make.get();
      attachments.put(type, found);
    }
    return found;
  }

  /** Attaches something under a type. */
  public <A> void attach(Class<A> type, A attachment) {
    attachments.put(type, attachment);
  }
}
