package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of a model: parameters, which are trained, buffers, which are not but belong to its state,
 * and further modules, all by name, and what it computes with them.
 *
 * <p>A model of your own is a subclass that names its parts when it is made:
 *
 * <pre>{@code
 * @RemoteFunctions
 * public final class Mlp extends Module<Variable, Variable> {
 *   private final Linear hidden;
 *   private final Linear output;
 *
 *   public Mlp(int inputs, int width, int outputs, long seed) {
 *     Init init = Init.seeded(seed);
 *     hidden = child("hidden", new Linear(inputs, width, init));
 *     output = child("output", new Linear(width, outputs, init));
 *   }
 *
 *   public Variable forward(Variable x) {
 *     return output.forward(hidden.forward(x).relu());
 *   }
 * }
 * }</pre>
 *
 * <p><b>Names and order.</b> Parameters, then buffers, each in the order in which they were named,
 * then the children's, whose names begin with the child's and a dot: {@code hidden.weight}. These
 * are torch's names and torch's order.
 *
 * <p>Threads: any number of threads may compute at once. One thread names the parts while it
 * creates the module. Threads that compute while another one changes the mode, loads a state or
 * moves the module may see a part of the change.
 *
 * @param <I> the input: mostly a variable, else a value of your own that contains variables
 * @param <O> the output
 */
@RemoteFunctions
@SuppressWarnings("JavaLangClash") // Torch's word; java.lang's is seldom used by name.
public abstract class Module<I, O> {
  private static final int RUNS_BITS = 16;

  private final Map<String, Variable> parameters = new LinkedHashMap<>();
  private final Map<String, Buffer> buffers = new LinkedHashMap<>();
  private final Map<String, Module<?, ?>> children = new LinkedHashMap<>();
  private volatile boolean training = true;

  /** For subclasses. */
  protected Module() {}

  /** Makes a module without parts that applies a function, such as {@code Variable::relu}. */
  public static <I, O> Module<I, O> of(Function<? super I, ? extends O> function) {
    return new Applied<>(function);
  }

  private static final class Applied<I, O> extends Module<I, O> {
    private final Function<? super I, ? extends O> function;

    Applied(Function<? super I, ? extends O> function) {
      this.function = function;
    }

    @Override
    public O forward(I input) {
      return function.apply(input);
    }
  }

  /**
   * Computes the output.
   *
   * @throws GridException BAD_ARGUMENT if the input does not fit, with operation and shapes
   */
  public abstract O forward(I input);

  // ---- Naming the parts ----

  /**
   * Names a parameter.
   *
   * @return the variable that holds it, which stays the same whatever value it gets
   * @throws GridException BAD_ARGUMENT if the name is taken or no name, or if the tensor is not of
   *     a floating-point type
   */
  protected final Variable parameter(String name, Tensor initial) {
    requireFree(name);
    Variable parameter = Variable.parameter(initial);
    parameters.put(name, parameter);
    return parameter;
  }

  /** Names a buffer; see {@link #parameter} for errors. */
  protected final Buffer buffer(String name, Tensor initial) {
    requireFree(name);
    Buffer buffer = new Buffer(initial);
    buffers.put(name, buffer);
    return buffer;
  }

  /**
   * Names a module that is a part of this one; see {@link #parameter} for errors.
   *
   * @return that module
   */
  protected final <M extends Module<?, ?>> M child(String name, M module) {
    requireFree(name);
    Module<?, ?> whole = module; // The method below is private, so not that of M.
    if (whole.contains(this)) {
      throw bad("module " + name + " would be a part of itself");
    }
    children.put(name, module);
    return module;
  }

  private boolean contains(Module<?, ?> other) {
    return this == other || children.values().stream().anyMatch(child -> child.contains(other));
  }

  private void requireFree(String name) {
    if (name.isEmpty() || name.indexOf('.') >= 0) {
      throw bad("a name has at least one character and no dot: \"" + name + "\"");
    }
    if (parameters.containsKey(name) || buffers.containsKey(name) || children.containsKey(name)) {
      throw bad(getClass().getSimpleName() + " has a " + name + " already");
    }
  }

  // ---- Looking at the parts ----

  /** Returns the modules that are named parts of this one, without theirs. */
  public final Map<String, Module<?, ?>> children() {
    return Collections.unmodifiableMap(children);
  }

  /** Returns all parameters, those of children included; one that is shared stands there once. */
  public final Map<String, Variable> namedParameters() {
    Map<String, Variable> all = new LinkedHashMap<>();
    Set<Variable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    visit(
        "",
        (prefix, module) ->
            module.parameters.forEach(
                (name, parameter) -> {
                  if (seen.add(parameter)) {
                    all.put(prefix + name, parameter);
                  }
                }));
    return all;
  }

  /** Returns the parameters of {@link #namedParameters()}, for an optimizer of this process. */
  public final List<Variable> parameters() {
    return List.copyOf(namedParameters().values());
  }

  /** Returns the values of all buffers, those of children included. */
  public final Map<String, Tensor> buffers() {
    Map<String, Tensor> all = new LinkedHashMap<>();
    visit(
        "",
        (prefix, module) ->
            module.buffers.forEach((name, buffer) -> all.put(prefix + name, buffer.value())));
    return all;
  }

  /**
   * Makes references to the {@link #parameters()}, in their order, for an optimizer over workers.
   * They are yours to close; what a called function returns goes to its caller.
   *
   * @param grid the one of the worker on which this module lives
   */
  public final List<RRef<Variable>> parameterRRefs(Grid grid) {
    RRefs rrefs = RRefs.on(grid);
    List<RRef<Variable>> references = new ArrayList<>();
    try {
      parameters().forEach(parameter -> references.add(rrefs.local(parameter)));
      return references;
    } catch (Throwable e) {
      references.forEach(RRef::close);
      throw e;
    }
  }

  /** Calls a function for this module and all parts of it, each with the start of its names. */
  private void visit(String prefix, BiConsumer<String, Module<?, ?>> visitor) {
    visitor.accept(prefix, this);
    children.forEach((name, child) -> child.visit(prefix + name + ".", visitor));
  }

  // ---- Mode ----

  /** Sets this and all parts of it to training, as they are when they were made. */
  public final void train() {
    visit("", (prefix, module) -> module.training = true);
  }

  /** Sets this and all parts of it to evaluation: no dropout, running statistics are used. */
  public final void eval() {
    visit("", (prefix, module) -> module.training = false);
  }

  /** Returns whether it is set to training. */
  public final boolean isTraining() {
    return training;
  }

  /**
   * Sets the random state of this and all parts of it, such as the masks of {@link Dropout}. The
   * same position gives the same masks, so a step can be repeated with the same bits. Positions
   * that differ have no mask in common if a module computes less than 65,536 times between them.
   */
  public final void seekRandom(long position) {
    visit("", (prefix, module) -> module.seek(position << RUNS_BITS));
  }

  /** Sets the number of the next run; for modules that draw random numbers. */
  void seek(long run) {}

  // ---- State ----

  /**
   * Returns the values of all parameters and buffers by torch's names, in torch's order. Costs
   * nothing per element: tensors do not change.
   */
  public final Map<String, Tensor> state() {
    Map<String, Tensor> state = new LinkedHashMap<>();
    parts().forEach((name, part) -> state.put(name, part.value.get()));
    return state;
  }

  /** A parameter or a buffer. */
  private record Part(Supplier<Tensor> value, Consumer<Tensor> setter) {
    Part(Variable parameter) {
      this(parameter::value, parameter::set);
    }

    Part(Buffer buffer) {
      this(buffer::value, buffer::set);
    }
  }

  /** Returns all parameters and buffers, in the order of {@link #state()}. */
  private Map<String, Part> parts() {
    Map<String, Part> parts = new LinkedHashMap<>();
    visit(
        "",
        (prefix, module) -> {
          module.parameters.forEach((name, each) -> parts.put(prefix + name, new Part(each)));
          module.buffers.forEach((name, each) -> parts.put(prefix + name, new Part(each)));
        });
    return parts;
  }

  /**
   * Takes what {@link #state()} of a module like this returned. Tensors move to where it is.
   *
   * @throws GridException BAD_ARGUMENT if one is missing or too many, or of another shape or
   *     element type; the message names all that do not fit, and nothing has changed then
   */
  public final void load(Map<String, Tensor> state) {
    load(state, true);
  }

  /** Loads the tensors that {@code state} has, as {@link #load}; the others keep their values. */
  public final void loadSome(Map<String, Tensor> state) {
    load(state, false);
  }

  final void load(Map<String, Tensor> given, boolean all) {
    Map<String, Tensor> own = state();
    List<String> wrong = new ArrayList<>();
    given.forEach(
        (name, tensor) -> {
          String problem = problem(name, own.get(name), tensor);
          if (problem != null) {
            wrong.add(problem);
          }
        });
    Collection<String> missing = all ? own.keySet() : List.of();
    missing.stream().filter(name -> !given.containsKey(name)).forEach(n -> wrong.add("no " + n));
    if (!wrong.isEmpty()) {
      throw bad("this state does not fit " + getClass().getSimpleName() + ": " + wrong);
    }
    parts()
        .forEach(
            (name, part) -> {
              Tensor value = given.get(name);
              if (value != null) {
                part.setter.accept(value.to(part.value.get().device()));
              }
            });
  }

  private static @Nullable String problem(String name, @Nullable Tensor own, Tensor given) {
    if (own == null) {
      return name + " is unknown";
    }
    boolean fits = own.dtype() == given.dtype() && own.hasShape(given.shape());
    return fits ? null : name + " is " + given + " in place of " + own;
  }

  /**
   * Moves all parameters and buffers to a device; the variables of the parameters stay the same.
   *
   * @throws IllegalArgumentException if there is no backend for the device
   */
  public final void to(Device device) {
    parts().values().forEach(part -> part.setter.accept(part.value.get().to(device)));
  }

  /** Forgets {@link Variable#grad()} of all parameters; contexts have their own gradients. */
  public final void zeroGrad() {
    parameters().forEach(Variable::zeroGrad);
  }

  static void atLeast(String name, int value, int least) {
    if (value < least) {
      throw bad(name + "=" + value + " must be at least " + least);
    }
  }

  static void probability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw bad(name + "=" + value + " is not within [0, 1]");
    }
  }

  static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    parameters.forEach((name, parameter) -> parts.add(name + "=" + parameter.value()));
    buffers.forEach((name, buffer) -> parts.add(name + "=" + buffer.value()));
    children.forEach((name, child) -> parts.add(name + "=" + child));
    return getClass().getSimpleName() + "(" + String.join(", ", parts) + ")";
  }
}
