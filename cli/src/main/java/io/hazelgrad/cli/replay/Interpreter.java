package io.hazelgrad.cli.replay;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
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
    steps.forEach(step -> step.run(this));
  }

  /** Runs steps outside a call, then closes the references that they created. */
  void runAndClose(List<ProgramStep> steps) {
    try {
      run(steps);
    } finally {
      made.forEach(RRef::close);
    }
  }

  void inContext(List<ProgramStep> steps) {
    Context context = site.autograd().open();
    try {
      run(steps);
    } finally {
      context.close();
    }
  }

  /**
   * Runs lists of steps at the same time, each on a thread of its own in the context around this
   * step. A branch closes its references itself, because its thread is in no call that would close
   * them. Waits for all branches and throws the exception of the first that failed.
   */
  void inParallel(List<List<ProgramStep>> branches) {
    Context around = site.autograd().current();
    List<Callable<Boolean>> tasks = new ArrayList<>();
    for (List<ProgramStep> steps : branches) {
      Supplier<Boolean> branch =
          () -> {
            new Interpreter(site, names, checks).runAndClose(steps);
            return true;
          };
      tasks.add(() -> around == null ? branch.get() : around.within(branch));
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (Future<Boolean> branch : threads.invokeAll(tasks)) {
        branch.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while branches run", e);
    } finally {
      threads.shutdownNow();
    }
  }

  void define(String name, Object value) {
    if (value instanceof RRef<?> rref) {
      made.add(rref);
    }
    names.put(name, value);
  }

  /** Records values and every worker's gradients. */
  void check(String label, List<String> list) {
    if (checks == null) {
      throw new IllegalStateException(
          "a check step cannot be within a call; move it to the program");
    }
    Map<String, Variable> values = new HashMap<>();
    list.forEach(name -> values.put(name, variable(name)));
    checks.record(label, values);
  }

  /** Calls an operation of the catalogue; with {@code remote} the result stays there as an RRef. */
  Object callOperator(String to, boolean remote, String operator, List<String> inputs) {
    return call(to, remote, Function.operator(operator), values(inputs).toArray());
  }

  /** Calls steps, given as the text in which they travel. */
  Object callSteps(String to, boolean remote, String json, List<String> inputs) {
    Function<Object> body = Function.of(ReplayFunctions::body);
    return call(to, remote, body, json, values(inputs));
  }

  private Object call(String to, boolean remote, Function<Object> function, Object... arguments) {
    return remote
        ? site.rrefs().remote(to, function, arguments)
        : present(site.grid().rpc().sync(to, function, arguments));
  }

  RRef<?> share(String name) {
    return site.share(value(name));
  }

  /** Returns the value of an RRef: a copy, or with {@code local} the owner's object itself. */
  Object fetch(String name, boolean local) {
    if (value(name) instanceof RRef<?> rref) {
      return present(local ? rref.localValue() : rref.toHere());
    }
    throw new IllegalStateException("\"" + name + "\" is not an RRef: " + value(name));
  }

  void backward(List<String> roots, boolean retainGraph) {
    Context context = site.autograd().current();
    if (context == null) {
      throw new IllegalStateException("backward: there is no context around this step");
    }
    context.backward(retainGraph, variables(roots));
  }

  /** Returns the variable or RRef of a name. */
  Object value(String name) {
    Object value = names.getOrDefault(name, site.leaves().get(name));
    if (value == null) {
      throw new IllegalStateException("worker " + site.name() + " has no value \"" + name + "\"");
    }
    return value;
  }

  private List<Object> values(List<String> list) {
    return new ArrayList<>(list.stream().map(this::value).toList());
  }

  private Variable variable(String name) {
    if (value(name) instanceof Variable variable) {
      return variable;
    }
    throw new IllegalStateException("\"" + name + "\" is not a tensor: " + value(name));
  }

  Variable[] variables(List<String> list) {
    return list.stream().map(this::variable).toArray(Variable[]::new);
  }

  private static Object present(@Nullable Object value) {
    if (value == null) {
      throw new IllegalStateException("a call returned null instead of a tensor");
    }
    return value;
  }
}
