package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A chain of modules, as {@code torch.nn.Sequential}. A step without parameters may be a function:
 *
 * <pre>{@code
 * new Sequential(new Linear(64, 32, init), Module.of(Variable::relu), new Linear(32, 10, init))
 * }</pre>
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class Sequential extends Module<Variable, Variable> {
  private final List<Module<Variable, Variable>> modules;

  /** Makes a module of others, whose names are their places: {@code 0}, {@code 1} and so on. */
  @SafeVarargs
  public Sequential(Module<Variable, Variable>... modules) {
    List<Module<Variable, Variable>> all = new ArrayList<>();
    for (Module<Variable, Variable> module : modules) {
      all.add(child(Integer.toString(all.size()), module));
    }
    this.modules = List.copyOf(all);
  }

  /** As {@link #Sequential(Module...)}. */
  public Sequential(List<? extends Module<Variable, Variable>> modules) {
    this.modules = List.copyOf(modules);
    for (int i = 0; i < modules.size(); i++) {
      child(Integer.toString(i), modules.get(i));
    }
  }

  /** Makes a module of others with names, in the order of the map. */
  public Sequential(Map<String, ? extends Module<Variable, Variable>> modules) {
    this.modules = List.copyOf(modules.values());
    modules.forEach(this::child);
  }

  @Override
  public Variable forward(Variable x) {
    Variable y = x;
    for (Module<Variable, Variable> module : modules) {
      y = module.forward(y);
    }
    return y;
  }
}
