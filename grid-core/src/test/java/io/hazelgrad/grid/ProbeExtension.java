package io.hazelgrad.grid;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Message;
import io.hazelgrad.grid.spi.OperatorCatalog;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives each grid of these tests a {@link Probe}. */
public final class ProbeExtension implements GridExtension {
  /** What the next grids do while they start; reset by the test that sets it. */
  static volatile Consumer<GridContext> onStart = context -> {};

  @Override
  public int order() {
    return 1;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {}

  @Override
  public Object start(GridContext context) {
    Probe probe = new Probe(context);
    context.interceptor(probe.interceptor);
    context.hook(probe.hook);
    context.operators(new Adding());
    context.handler("probe.echo", Handler.Lane.CONTROL, (arguments, request) -> arguments.get(0));
    context.asyncHandler("probe.waiting", ProbeExtension::later);
    context.onLost(probe.lost::add);
    context.onClientGone(probe.gone::add);
    context.onClose(() -> probe.events.add("closed"));
    onStart.accept(context);
    context.handler("probe.late", Handler.Lane.CONTROL, (arguments, request) -> arguments.get(0));
    return probe;
  }

  private static CompletableFuture<String> later(
      List<@Nullable Object> arguments, Incoming request) {
    return Calls.later((String) arguments.get(0));
  }

  /** A value that only the probe's hook can carry. */
  record Token(String text) {}

  /** What happened on one grid. */
  public static final class Probe {
    final GridContext context;
    public final List<String> events = new CopyOnWriteArrayList<>();
    final List<Worker> lost = new CopyOnWriteArrayList<>();
    public final List<Worker> gone = new CopyOnWriteArrayList<>();
    final Recorder interceptor = new Recorder();
    final TokenHook hook = new TokenHook();
    volatile @Nullable CompletableFuture<Void> hold;

    Probe(GridContext context) {
      this.context = context;
    }

    public static Probe of(Grid grid) {
      return grid.service(Probe.class);
    }

    private void record(String event, Message message) {
      events.add(event + (message.isRequest() ? " request" : " reply"));
    }

    /** Records every step; holds requests back that arrive while {@link #hold} is set. */
    final class Recorder implements CallInterceptor {
      @Override
      public int header() {
        return 1;
      }

      @Override
      public void departing(Outgoing message) {
        record("departing", message);
        message.attach(String.class, "from " + context.self().name());
      }

      @Override
      public void departed(Outgoing message, WireOutput header) {
        record("departed", message);
        header.utf(message.attachment(String.class, () -> "nothing attached"));
      }

      @Override
      public @Nullable CompletionStage<?> ready(Outgoing reply) {
        record("ready", reply);
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void arriving(Incoming message, @Nullable WireInput header) {
        record("arriving", message);
        message.attach(String.class, header == null ? "no header" : header.utf());
      }

      @Override
      public @Nullable CompletionStage<?> arrived(Incoming message) {
        record("arrived " + message.attachment(String.class), message);
        return message.isRequest() ? hold : null;
      }

      @Override
      public Scope enter(Incoming request) {
        record("enter", request);
        return () -> record("leave", request);
      }

      @Override
      public void resolved(Incoming request, List<@Nullable Object> arguments) {
        record("resolved", request);
      }

      @Override
      public @Nullable Object returned(Incoming request, @Nullable Object result) {
        record("returned", request);
        return result;
      }

      @Override
      public boolean threw(Incoming request, GridException failure) {
        record("threw " + failure.status(), request);
        return false;
      }

      @Override
      public void ended(Incoming request) {
        record("ended", request);
      }

      @Override
      public void over(Outgoing message, @Nullable GridException failure) {
        record(failure == null ? "over" : "over " + failure.status(), message);
      }

      @Override
      public void dropped(Incoming message) {
        record("dropped", message);
      }
    }

    /** Carries tokens. */
    final class TokenHook implements ValueHook {
      @Override
      public int tag() {
        return 100;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == Token.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        record("write", message);
        out.utf(((Token) value).text());
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        record("read", message);
        return new Token(in.utf());
      }
    }
  }

  /** Knows one operator. */
  private static final class Adding implements OperatorCatalog {
    @Override
    public void check(String operator, List<@Nullable Object> arguments) {
      if (!operator.equals("add")) {
        throw new GridException(Status.UNKNOWN_FUNCTION, "no operator " + operator);
      }
      if (arguments.size() != 2) {
        throw new GridException(Status.BAD_ARGUMENT, "add takes 2 tensors: " + arguments.size());
      }
    }

    @Override
    public Object apply(String operator, List<@Nullable Object> arguments) {
      double[] a = ((Tensor) arguments.get(0)).toDoubles();
      double[] b = ((Tensor) arguments.get(1)).toDoubles();
      for (int i = 0; i < a.length; i++) {
        a[i] += b[i];
      }
      return Tensor.wrap(a, a.length);
    }
  }
}
