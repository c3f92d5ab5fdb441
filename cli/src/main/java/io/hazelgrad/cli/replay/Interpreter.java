package io.hazelgrad.cli.replay;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps at one site. A name stands for a result of an earlier step, else for a leaf of the
 * site.
 *
 * <p>Threads: one; each branch of a parallel step gets an interpreter of its own.
 */
final class Interpreter {
  private final ExecutionSite site;
  private final Map<String, Object> names = new HashMap<>();
  private final @Nullable CheckResults checks;
  private final List<RRef<?>> made = new ArrayList<>();

  /** Creates an interpreter with initial names; without {@code checks} it refuses check steps. */
  Interpreter(ExecutionSite site, Map<String, Object> names, @Nullable CheckResults checks) {
    this.site = site;
    this.names.putAll(names);
    this.checks = checks;
  }

  void run(List<ProgramStep> steps) {
    steps.forEach(this::run);
  }

  private void run(ProgramStep step) {
    if (step instanceof ProgramStep.Apply apply) {
      define(apply.out(), Variable.apply(apply.operator(), variables(apply.inputs())));
    } else if (step instanceof ProgramStep.Call call) {
      define(call.out(), call(call));
    } else if (step instanceof ProgramStep.MakeRRef make) {
      define(make.out(), site.share(value(make.value())));
    } else if (step instanceof ProgramStep.Fetch fetch) {
      RRef<?> rref = rref(fetch.rref());
      define(fetch.out(), present(fetch.local() ? rref.localValue() : rref.toHere()));
    } else if (step instanceof ProgramStep.InContext scope) {
      inContext(scope.steps());
    } else if (step instanceof ProgramStep.Backward backward) {
      context().backward(backward.retainGraph(), variables(backward.roots()));
    } else if (step instanceof ProgramStep.Check check) {
      check(check);
    } else if (step instanceof ProgramStep.Parallel parallel) {
      Context around = site.autograd().current();
      ParallelBranches.run(parallel.branches(), steps -> branch(steps, around));
    }
  }

  private void inContext(List<ProgramStep> steps) {
    Context context = site.autograd().open();
    try {
      run(steps);
    } finally {
      context.close();
    }
  }

  /**
   * Runs a branch on its thread, in the context around the parallel step. The branch closes its
   * references itself, because its thread is in no call that would close them.
   */
  private void branch(List<ProgramStep> steps, @Nullable Context around) {
    Interpreter branch = new Interpreter(site, names, checks);
    if (around == null) {
      branch.runAndClose(steps);
    } else {
      around.within(
          () -> {
            branch.runAndClose(steps);
            return true;
          });
    }
  }

  /** Runs steps outside a call, then closes the references that they created. */
  void runAndClose(List<ProgramStep> steps) {
    try {
      run(steps);
    } finally {
      made.forEach(RRef::close);
    }
  }

  private void define(String name, Object value) {
    if (value instanceof RRef<?> rref) {
      made.add(rref);
    }
    names.put(name, value);
  }

  private void check(ProgramStep.Check check) {
    if (checks == null) {
      throw new IllegalStateException(
          "a check step cannot be within a call; move it to the program");
    }
    Map<String, Variable> values = new HashMap<>();
    check.values().forEach(name -> values.put(name, variable(name)));
    checks.record(check.label(), values);
  }

  private Object call(ProgramStep.Call call) {
    List<Object> inputs = new ArrayList<>();
    call.inputs().forEach(name -> inputs.add(value(name)));
    if (call.work() instanceof ProgramStep.Steps steps) {
      Function<Object> body = Function.of(ReplayFunctions::body);
      return send(call, body, steps.json(), inputs);
    }
    String operator = ((ProgramStep.Operator) call.work()).name();
    return send(call, Function.operator(operator), inputs.toArray());
  }

  private Object send(ProgramStep.Call call, Function<Object> function, Object... arguments) {
    return call.remote()
        ? site.rrefs().remote(call.to(), function, arguments)
        : present(site.grid().rpc().sync(call.to(), function, arguments));
  }

  private Context context() {
    Context context = site.autograd().current();
    if (context == null) {
      throw new IllegalStateException("backward: there is no context around this step");
    }
    return context;
  }

  /** Returns the variable or RRef of a name. */
  Object value(String name) {
    Object value = names.get(name);
    if (value == null) {
      value = site.leaves().get(name);
    }
    if (value == null) {
      throw new IllegalStateException("worker " + site.name() + " has no value \"" + name + "\"");
    }
    return value;
  }

  private Variable variable(String name) {
    if (value(name) instanceof Variable variable) {
      return variable;
    }
    throw new IllegalStateException("\"" + name + "\" is not a tensor: " + value(name));
  }

  private Variable[] variables(List<String> list) {
    return list.stream().map(this::variable).toArray(Variable[]::new);
  }

  private RRef<?> rref(String name) {
    if (value(name) instanceof RRef<?> rref) {
      return rref;
    }
    throw new IllegalStateException("\"" + name + "\" is not an RRef: " + value(name));
  }

  private static Object present(@Nullable Object value) {
    if (value == null) {
      throw new IllegalStateException("a call returned null instead of a tensor");
    }
    return value;
  }
}
