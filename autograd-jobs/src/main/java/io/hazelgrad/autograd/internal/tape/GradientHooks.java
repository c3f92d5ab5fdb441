package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The hooks of one node: functions on the gradients that it takes, in the order of adding. */
final class GradientHooks {
  /** No record, because the same function may be added twice. */
  private static final class Hook {
    final int slot;
    final UnaryOperator<Tensor> change;

    Hook(int slot, UnaryOperator<Tensor> change) {
      this.slot = slot;
      this.change = change;
    }
  }

  private final List<Hook> all = new CopyOnWriteArrayList<>();

  /** Adds a hook; running the result removes it. */
  Runnable add(int slot, UnaryOperator<Tensor> change) {
    Hook hook = new Hook(slot, change);
    all.add(hook);
    return () -> all.remove(hook);
  }

  Tensor apply(int slot, Tensor gradient) {
    Tensor changed = gradient;
    for (Hook hook : all) {
      if (hook.slot == slot) {
        @Nullable Tensor next = hook.change.apply(changed);
        if (next == null || !TypeAndDevice.of(next).equals(TypeAndDevice.of(gradient))) {
          throw new GridException(
              Status.BAD_ARGUMENT,
              "a hook must return a gradient like the one that it got, "
                  + TypeAndDevice.of(gradient)
                  + "; it returned "
                  + (next == null ? "null" : TypeAndDevice.of(next)));
        }
        changed = next;
      }
    }
    return changed;
  }
}
