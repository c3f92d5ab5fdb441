package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle of a module on another worker.
 *
 * <pre>{@code
 * try (RemoteModule<Variable, Variable> model =
 *         RemoteModule.create(grid, "w1", Mlp::new, 64, 32, 10, 7L);
 *     DistributedOptimizer optimizer =
 *         DistributedOptimizer.create(grid, Adam.defaults(), model.parameterRRefs());
 *     Context context = Autograd.on(grid).open()) {
 *   context.backward(model.forward(x).crossEntropy(y));
 *   optimizer.step(context);
 * }
 * }</pre>
 *
 * <p>It can be passed to other workers in a call and used there. It contains one handle of a
 * counted reference and must be closed by the rules of {@link RRef}.
 *
 * <p><b>Devices.</b> The module's parameters are on its device. Variables and tensors of the input,
 * also within lists and maps, that are elsewhere are moved there; those of the output are moved to
 * where the first one of the input was.
 *
 * <p>Every method that calls the owner waits within the reference's deadline, costs a round trip,
 * and throws what a call through an {@link RRef} throws: RREF_LOST, TIMEOUT, what the module's
 * constructor or the method threw. BAD_ARGUMENT if the object is no {@link Module}.
 *
 * <p>Threads: safe.
 *
 * @param reference the module
 * @param device the device of the owner that has the parameters
 * @param <I> the input, a type that can travel in calls
 * @param <O> the output, a type that can travel in calls
 */
@RemoteValue
public record RemoteModule<I, O>(RRef<? extends Module<I, O>> reference, Device device)
    implements AutoCloseable {

  /**
   * Makes a module on a worker.
   *
   * @param on the worker's name, or name and device: {@code "w1"}, {@code "w1/cpu"}, {@code
   *     "w1/sim:0"}
   * @param constructor a constructor or method that makes it; its class must be allowed there
   * @throws GridException BAD_ARGUMENT if {@code on} has another form, or the worker no such
   *     device; what {@link RRefs#remote} throws. Without a device it does not wait for the worker
   */
  public static <I, O> RemoteModule<I, O> create(
      GridAccess grid,
      String on,
      Function<? extends Module<I, O>> constructor,
      @Nullable Object... arguments) {
    ModulePlace place = ModulePlace.parse(on);
    place.requireDevice(grid);
    RRef<? extends Module<I, O>> reference =
        RRefs.on(grid).remote(place.worker(), constructor, arguments);
    RemoteModule<I, O> module = new RemoteModule<>(reference, place.device());
    try {
      if (!place.device().isCpu()) {
        Object unused = reference.sync(ModuleService.MOVE, place.device());
      }
      return module;
    } catch (Throwable e) {
      module.close();
      throw e;
    }
  }

  /** As {@link #create(GridAccess, String, Function, Object...)}. */
  public static <A, I, O> RemoteModule<I, O> create(
      GridAccess grid, String on, Function.F1<A, ? extends Module<I, O>> constructor, A a) {
    return create(grid, on, Function.of(constructor), a);
  }

  /** As {@link #create(GridAccess, String, Function, Object...)}. */
  public static <A, B, I, O> RemoteModule<I, O> create(
      GridAccess grid, String on, Function.F2<A, B, ? extends Module<I, O>> constructor, A a, B b) {
    return create(grid, on, Function.of(constructor), a, b);
  }

  /** As {@link #create(GridAccess, String, Function, Object...)}. */
  public static <A, B, C, I, O> RemoteModule<I, O> create(
      GridAccess grid,
      String on,
      Function.F3<A, B, C, ? extends Module<I, O>> constructor,
      A a,
      B b,
      C c) {
    return create(grid, on, Function.of(constructor), a, b, c);
  }

  /** As {@link #create(GridAccess, String, Function, Object...)}. */
  public static <A, B, C, D, I, O> RemoteModule<I, O> create(
      GridAccess grid,
      String on,
      Function.F4<A, B, C, D, ? extends Module<I, O>> constructor,
      A a,
      B b,
      C c,
      D d) {
    return create(grid, on, Function.of(constructor), a, b, c, d);
  }

  /** Returns a handle of a module that already exists, on the CPU. */
  public static <I, O> RemoteModule<I, O> of(RRef<? extends Module<I, O>> reference) {
    return new RemoteModule<>(reference, Device.CPU);
  }

  /** Returns the worker that owns the module. */
  public Worker owner() {
    return reference.owner();
  }

  /** Computes the output on the owner, and waits. In a context it is recorded, as every call is. */
  public O forward(I input) {
    return reference.sync(ModuleService.<O>forward(), device, input);
  }

  /** Computes the output on the owner without waiting. */
  public CompletableFuture<O> forwardAsync(I input) {
    return reference.async(ModuleService.<O>forward(), device, input);
  }

  /** Returns references to {@link Module#namedParameters()}, in their order; close them. */
  public List<RRef<Variable>> parameterRRefs() {
    return reference.sync(ModuleService.PARAMETERS);
  }

  /** Sets the module to training. */
  public void train() {
    Object unused = reference.sync(ModuleService.SET_MODE, true);
  }

  /** Sets the module to evaluation. */
  public void eval() {
    Object unused = reference.sync(ModuleService.SET_MODE, false);
  }

  /** Returns {@link Module#state()}. All of it travels in one message. */
  public Map<String, Tensor> state() {
    return reference.sync(ModuleService.STATE);
  }

  /**
   * Loads a state into the module, as {@link Module#load}. It travels in one message.
   *
   * @throws GridException BAD_ARGUMENT if it does not fit; nothing has changed then
   */
  public void load(Map<String, Tensor> state) {
    Object unused = reference.sync(ModuleService.LOAD, state, true);
  }

  /** Loads a part of a state into the module, as {@link Module#loadSome}. */
  public void loadSome(Map<String, Tensor> state) {
    Object unused = reference.sync(ModuleService.LOAD, state, false);
  }

  /** Keeps the handle open after the call that received or created it, as {@link RRef#keep()}. */
  public RemoteModule<I, O> keep() {
    RRef<? extends Module<I, O>> unused = reference.keep();
    return this;
  }

  /** Closes the handle. When the last handle is closed, the owner drops the module. */
  @Override
  public void close() {
    reference.close();
  }
}
