package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.AnomalyMode;
import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.tape.Edge;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.autograd.internal.tape.TapeVariable;
import io.hazelgrad.autograd.internal.tape.TypeAndDevice;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Message;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records contexts over calls. Every message of a call within a context carries the context's id,
 * so that the callee works in the context too, and the decisions about its passes. If the message
 * holds variables that need gradients, it gets an id, a send node on the sender and a recv node on
 * the receiver. It also carries the descriptors of messages below it that the receiver lacks.
 */
public final class ContextRecorder implements CallInterceptor, ValueHook {
  private static final int TAG = 110;
  private static final int HEADER = 2;

  private final GridContext grid;
  private final Contexts contexts;
  private final DecisionTable passes;
  private final Consumer<ContextId> onClosed;
  private final AtomicLong messages = new AtomicLong();

  // One per grid: a JVM may hold several grids, and a thread may work for more than one.
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable ContextState> bound = new ThreadLocal<>();

  public ContextRecorder(
      GridContext grid, Contexts contexts, DecisionTable passes, Consumer<ContextId> onClosed) {
    this.grid = grid;
    this.contexts = contexts;
    this.passes = passes;
    this.onClosed = onClosed;
  }

  /** The recording of one outgoing message, or the context and recv node of an incoming one. */
  private static final class Trace {
    final ContextState context;
    final List<@Nullable Edge> edges = new ArrayList<>();
    final List<TypeAndDevice> tensors = new ArrayList<>();
    List<MessageDescriptor> carried = List.of();
    @Nullable RecvNode node;

    Trace(ContextState context) {
      this.context = context;
    }
  }

  public @Nullable ContextState bound() {
    return bound.get();
  }

  /** Binds a context, or none, to this thread; returns the one bound before. */
  public @Nullable ContextState bind(@Nullable ContextState context) {
    ContextState before = bound.get();
    if (context == null) {
      bound.remove();
    } else {
      bound.set(context);
    }
    return before;
  }

  /** Runs a supplier within a context; null for none, so that its calls are not recorded. */
  public <T> T within(@Nullable ContextState context, Supplier<T> work) {
    Scope scope = enter(context);
    try {
      return work.get();
    } finally {
      scope.close();
    }
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public int tag() {
    return TAG;
  }

  @Override
  public boolean owns(Class<?> type) {
    return type == TapeVariable.class || type == Variable.class; // The latter in arrays.
  }

  @Override
  public Class<?> type() {
    return Variable.class;
  }

  @Override
  public void departing(Outgoing message) {
    Incoming request = message.inReplyTo();
    ContextState context = request == null ? bound.get() : contextOf(request);
    if (context != null) {
      context.requireOpen();
      message.attach(Trace.class, new Trace(context));
    }
  }

  @Override
  public void write(Object value, Outgoing message, WireOutput out) {
    Variable variable = (Variable) value;
    Tensor tensor = variable.value(); // Once: an optimizer may replace it meanwhile.
    Trace trace = message.attachment(Trace.class);
    int number = 0;
    if (trace != null && variable.requiresGrad()) {
      trace.edges.add(TapeVariable.edge(variable));
      trace.tensors.add(TypeAndDevice.of(tensor));
      number = trace.edges.size();
    }
    out.varint(number).tensor(tensor);
  }

  @Override
  public void departed(Outgoing message, WireOutput header) {
    Trace trace = message.attachment(Trace.class);
    if (trace == null) {
      return;
    }
    ContextState context = trace.context;
    context.addPeer(message.receiver());
    Contexts.write(context.id(), header);
    header.bool(context.isChecked());
    header.varint(contexts.floor(context.id().originator()));
    Set<Long> initiators = context.initiators();
    header.varint(initiators.size());
    for (long initiator : initiators) {
      header.varint(initiator);
      passes.decisions(initiator).write(header);
    }
    if (!trace.edges.isEmpty()) {
      MessageId id = new MessageId(grid.self().id(), messages.incrementAndGet());
      trace.carried = context.send(id, message.receiver().id(), trace.edges, trace.tensors);
      MessageDescriptor.writeAll(trace.carried, header);
    }
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    if (header == null) {
      return;
    }
    ContextId id = Contexts.readId(header);
    boolean checked = header.bool();
    if (message.sender().id() == id.originator()
        && contexts.isLost(id.originator())
        && grid.directory().isLiving(message.sender())) {
      contexts.originatorLives(id.originator());
    }
    contexts.raiseFloor(id.originator(), header.varint()).forEach(onClosed);
    ContextState context = contexts.find(id);
    if (checked) {
      context.check();
    }
    context.addPeer(message.sender());
    for (int count = header.count(3); count > 0; count--) {
      long initiator = header.varint();
      context.addInitiator(initiator);
      passes.learn(initiator, PassDecisions.read(header));
    }
    Trace trace = new Trace(context);
    message.attach(Trace.class, trace);
    if (header.remaining() > 0) {
      List<MessageDescriptor> carried = MessageDescriptor.readAll(header);
      if (carried.isEmpty() || carried.get(0).receiver() != grid.self().id()) {
        throw header.damaged("a message without its own descriptor");
      }
      trace.node = context.receive(message.sender().id(), carried);
    }
  }

  @Override
  public Object read(Incoming message, WireInput in) {
    long number = in.varint();
    Tensor value = in.tensor();
    if (number == 0) {
      return Variable.of(value);
    }
    Trace trace = message.attachment(Trace.class);
    RecvNode node = trace == null ? null : trace.node;
    if (node == null || number < 0 || number > node.slots()) {
      throw in.damaged("variable number " + number + " of " + node);
    }
    return TapeVariable.computed(value, node, (int) number - 1);
  }

  @Override
  public Scope enter(Incoming request) {
    return enter(contextOf(request));
  }

  @Override
  public Scope completing(Outgoing request) {
    ContextState context = contextOf(request);
    return context == null && bound.get() == null ? Scope.NONE : enter(context);
  }

  private static @Nullable ContextState contextOf(Message message) {
    Trace trace = message.attachment(Trace.class);
    return trace == null ? null : trace.context;
  }

  private Scope enter(@Nullable ContextState context) {
    ContextState outer = bind(context);
    AnomalyMode mode = context != null && context.isChecked() ? AnomalyMode.begin() : null;
    return () -> {
      bind(outer);
      if (mode != null) {
        mode.close();
      }
    };
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    Trace trace = message.attachment(Trace.class);
    if (failure != null && trace != null && !trace.carried.isEmpty()) {
      trace.context.notCarried(message.receiver().id(), trace.carried);
    }
  }
}
