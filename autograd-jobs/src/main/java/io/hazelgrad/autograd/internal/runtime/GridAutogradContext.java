package io.hazelgrad.autograd.internal.runtime;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.PassPlan;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.context.ContextMessages;
import io.hazelgrad.autograd.internal.context.ContextRecorder;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.initiator.PassInitiator;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A context of this worker or client; closing it closes the context if {@code isOwn}. */
record GridAutogradContext(
    ContextState state,
    ContextRecorder recorder,
    PassInitiator initiator,
    ContextMessages messages,
    boolean isOwn)
    implements Context {
  @Override
  public ContextId id() {
    return state.id();
  }

  @Override
  public void backward(PassOptions options, Variable... roots) {
    state.requireOpen();
    initiator.run(state, options, PassRoots.of(roots));
  }

  @Override
  public PassPlan plan(Variable... roots) {
    state.requireOpen();
    return initiator.plan(state, PassRoots.of(roots));
  }

  @Override
  public void backward(boolean retainGraph, RRef<Variable> root) {
    within(
        () -> {
          root.sync(Function.action(RootCalls::backward), retainGraph);
          return "";
        });
  }

  @Override
  public Map<Variable, Tensor> gradients() {
    return state.gradients();
  }

  @Override
  public @Nullable Tensor gradient(Variable leaf) {
    return state.gradient(leaf);
  }

  @Override
  public <T> T within(Supplier<T> work) {
    return recorder.within(state, work);
  }

  @Override
  public void close() {
    if (isOwn) {
      if (recorder.bound() == state) {
        recorder.bind(null);
      }
      messages.close(state.id());
    }
  }

  @Override
  public String toString() {
    return state.id().toString();
  }
}
