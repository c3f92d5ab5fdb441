package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes and reads messages: the values, and around them what the interceptors add. */
public final class MessageCodec {
  /** A message as bytes. */
  @SuppressWarnings("ArrayRecordComponent") // Not compared, and too large to be copied.
  public record Encoded(byte[] headers, byte[] values) {}

  private static final Logger LOG = LoggerFactory.getLogger(MessageCodec.class);

  private final List<CallInterceptor> interceptors = new CopyOnWriteArrayList<>();
  private final List<ValueHook> hooks = new CopyOnWriteArrayList<>();
  private final ValueCodec codec;

  public MessageCodec(AllowList allowed, Codecs codecs, ObjectCodecs forms) {
    codec = new ValueCodec(allowed, hooks, codecs, forms);
  }

  public AllowList allowed() {
    return codec.allowed();
  }

  /** Returns the same form for values that are kept. */
  public StoredValueCodec kept(Worker self) {
    return new StoredValueCodec(codec, self);
  }

  public void add(CallInterceptor interceptor) {
    interceptors.add(interceptor);
  }

  public void add(ValueHook hook) {
    hooks.add(hook);
  }

  public Encoded write(List<@Nullable Object> values, Outgoing message) {
    interceptors.forEach(interceptor -> interceptor.departing(message, values));
    byte[] bytes = codec.encode(values, message);
    WireOutput headers = new WireOutput(32);
    for (CallInterceptor interceptor : interceptors) {
      WireOutput header = new WireOutput(32);
      interceptor.departed(message, header);
      if (header.size() > 0) {
        headers.int8(interceptor.header()).bytes(header.toBytes());
      }
    }
    message.bytes(headers.size() + bytes.length);
    return new Encoded(headers.toBytes(), bytes);
  }

  /** Reads a message; if it cannot be read, what was read of it is dropped. */
  public List<@Nullable Object> read(byte[] headerBytes, byte[] values, Incoming message) {
    message.bytes(headerBytes.length + values.length);
    Outgoing request = message.request();
    if (request != null) {
      request.answerBytes(message.bytes());
    }
    Map<Integer, byte[]> headers = new HashMap<>(4);
    WireInput in = new WireInput(headerBytes);
    while (in.remaining() > 0) {
      headers.put((int) in.int8(), in.bytes());
    }
    try {
      for (CallInterceptor interceptor : interceptors) {
        byte[] header = headers.get(interceptor.header());
        interceptor.arriving(message, header == null ? null : new WireInput(header));
      }
      return codec.decode(values, message);
    } catch (Throwable e) {
      dropped(message);
      throw e;
    }
  }

  public void dropped(Incoming message) {
    each("dropped", interceptor -> interceptor.dropped(message));
  }

  public void ended(Incoming request) {
    each("ended", interceptor -> interceptor.ended(request));
  }

  public void over(Outgoing message, @Nullable GridException failure) {
    each("over", interceptor -> interceptor.over(message, failure));
  }

  /** Tells all interceptors, even if one fails: the others have something to release, too. */
  private void each(String event, Consumer<CallInterceptor> step) {
    for (CallInterceptor interceptor : interceptors) {
      try {
        step.accept(interceptor);
      } catch (RuntimeException e) {
        LOG.error("{} failed in {}", interceptor, event, e);
      }
    }
  }

  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    interceptors.forEach(interceptor -> interceptor.resolved(request, arguments));
  }

  public @Nullable Object returned(Incoming request, @Nullable Object result) {
    Object current = result;
    for (CallInterceptor interceptor : interceptors) {
      current = interceptor.returned(request, current);
    }
    return current;
  }

  /** Returns whether an interceptor turned a failure into a success without result. */
  public boolean threw(Incoming request, GridException failure) {
    boolean taken = false;
    for (CallInterceptor interceptor : interceptors) {
      taken |= interceptor.threw(request, failure);
    }
    return taken;
  }

  /** Returns a stage for what must end after a message was read; null if there is nothing. */
  public @Nullable CompletableFuture<?> arrived(Incoming message) {
    return all(interceptor -> interceptor.arrived(message));
  }

  /** Returns a stage for what must end before a reply is sent; null if there is nothing. */
  public @Nullable CompletableFuture<?> ready(Outgoing reply) {
    return all(interceptor -> interceptor.ready(reply));
  }

  /** Binds what a function's thread shall see; closing the scope closes all in reverse order. */
  public CallInterceptor.Scope enter(Incoming request) {
    return scopes(interceptor -> interceptor.enter(request));
  }

  /** Runs what ends a call's future, or an asynchronous stage of it. */
  public void completing(Outgoing request, Runnable work) {
    CallInterceptor.Scope seen = CallInterceptor.Scope.NONE;
    try {
      seen = scopes(interceptor -> interceptor.completing(request));
    } catch (RuntimeException e) { // The future must end.
      LOG.error("callbacks of {} run without what they should see", request.call(), e);
    }
    try {
      work.run();
    } finally {
      seen.close();
    }
  }

  private CallInterceptor.Scope scopes(Function<CallInterceptor, CallInterceptor.Scope> open) {
    CallInterceptor.Scope all = CallInterceptor.Scope.NONE;
    try {
      for (CallInterceptor interceptor : interceptors) {
        CallInterceptor.Scope outer = all;
        CallInterceptor.Scope inner = open.apply(interceptor);
        if (inner != CallInterceptor.Scope.NONE) {
          all =
              () -> {
                close(inner);
                outer.close();
              };
        }
      }
    } catch (Throwable e) {
      all.close();
      throw e;
    }
    return all;
  }

  private static void close(CallInterceptor.Scope scope) {
    try {
      scope.close();
    } catch (RuntimeException e) { // The others must be closed, and the reply go out.
      LOG.error("a scope of an interceptor could not be closed", e);
    }
  }

  /** Returns a stage that ends when all ended that the interceptors returned; null for none. */
  private @Nullable CompletableFuture<?> all(
      Function<CallInterceptor, @Nullable CompletionStage<?>> step) {
    CompletableFuture<?> all = null;
    for (CallInterceptor interceptor : interceptors) {
      CompletionStage<?> stage = step.apply(interceptor);
      if (stage != null) {
        CompletableFuture<?> next = stage.toCompletableFuture();
        all = all == null ? next : CompletableFuture.allOf(all, next);
      }
    }
    return all;
  }
}
