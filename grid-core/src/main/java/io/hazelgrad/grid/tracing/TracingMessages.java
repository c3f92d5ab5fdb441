package io.hazelgrad.grid.tracing;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Carries the OpenTelemetry context of the caller with each request, and creates the spans. */
record TracingMessages(Tracing tracing) implements CallInterceptor {
  private static final int HEADER = 32;
  private static final int MAX_FIELDS = 16;
  private static final TextMapPropagator PROPAGATOR =
      TextMapPropagator.composite(
          W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance());

  private static final TextMapGetter<Map<String, String>> FIELDS =
      new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // Older versions of the API need it.
        public Iterable<String> keys(Map<String, String> fields) {
          return fields.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> fields, String name) {
          return fields == null ? null : fields.get(name);
        }
      };

  /** The context of a request at its caller. */
  private record Sent(Context context, @Nullable Span span) {}

  /** The context of a request at its callee. Used by one step after the other, like the message. */
  private static final class Received {
    Context context;
    @Nullable Span span;

    Received(Context context) {
      this.context = context;
    }
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void departing(Outgoing message) {
    if (!message.isRequest()) {
      return;
    }
    Context context = Context.current();
    boolean traced = Span.fromContext(context).getSpanContext().isValid();
    Tracer tracer = message.call().kind().isService() && !traced ? null : tracing.tracer();
    if (tracer != null) {
      Span span = span(tracer, message.call(), SpanKind.CLIENT, context);
      message.attach(Sent.class, new Sent(context.with(span), span));
    } else if (context != Context.root()) {
      message.attach(Sent.class, new Sent(context, null));
    }
  }

  private static Span span(Tracer tracer, CallInfo call, SpanKind kind, Context parent) {
    return tracer
        .spanBuilder(call.function())
        .setParent(parent)
        .setSpanKind(kind)
        .setAttribute("rpc.system", "hazelgrad")
        .setAttribute("rpc.method", call.function())
        .setAttribute("hazelgrad.caller", call.caller().name())
        .setAttribute("hazelgrad.callee", call.callee().name())
        .setAttribute("hazelgrad.kind", call.kind().name())
        .startSpan();
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    Sent sent = message.isRequest() ? message.attachment(Sent.class) : null;
    if (sent != null) {
      Map<String, String> fields = new HashMap<>(4);
      PROPAGATOR.inject(sent.context(), fields, Map::put);
      if (!fields.isEmpty()) {
        header.varint(fields.size());
        fields.forEach((name, value) -> header.utf(name).utf(value));
      }
    }
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    Sent sent = message.isRequest() ? message.attachment(Sent.class) : null;
    if (sent != null && sent.span() != null) {
      if (failure != null) {
        mark(sent.span(), failure);
      }
      sent.span().end();
    }
  }

  private static void mark(Span span, GridException failure) {
    span.setStatus(StatusCode.ERROR, String.valueOf(failure.getMessage()));
    span.setAttribute("error.type", failure.status().name());
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (message.request() != null) {
      return;
    }
    if (header != null) {
      Map<String, String> fields = new HashMap<>(4);
      int count = header.count(2);
      if (count > MAX_FIELDS) {
        throw header.damaged("a trace context of " + count + " fields");
      }
      for (int i = 0; i < count; i++) {
        fields.put(header.utf(), header.utf());
      }
      Context context = PROPAGATOR.extract(Context.root(), fields, FIELDS);
      message.attach(Received.class, new Received(context));
    } else if (!message.call().kind().isService() && tracing.tracer() != null) {
      message.attach(Received.class, new Received(Context.root()));
    }
  }

  @Override
  public Scope enter(Incoming request) {
    Received received = request.attachment(Received.class);
    if (received == null) {
      // A thread of the grid has no context of its own; a caller that serves itself may have one.
      return Context.current() == Context.root() ? Scope.NONE : current(Context.root());
    }
    Tracer tracer = tracing.tracer();
    if (received.span == null && tracer != null) {
      received.span = span(tracer, request.call(), SpanKind.SERVER, received.context);
      received.context = received.context.with(received.span);
    }
    return current(received.context);
  }

  @SuppressWarnings("MustBeClosedChecker") // The grid closes it on the same thread.
  private static Scope current(Context context) {
    return context.makeCurrent()::close;
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    Received received = request.attachment(Received.class);
    if (received != null && received.span != null) {
      mark(received.span, failure);
    }
    return false;
  }

  @Override
  public void ended(Incoming request) {
    Received received = request.attachment(Received.class);
    if (received != null && received.span != null) {
      received.span.end();
    }
  }
}
