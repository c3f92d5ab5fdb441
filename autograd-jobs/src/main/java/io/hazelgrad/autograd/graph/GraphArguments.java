package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts the arguments of a call into the order of a graph's inputs and checks them. */
final class GraphArguments {
  private GraphArguments() {}

  /**
   * Returns a variable for each input.
   *
   * @param arguments tensors or variables in the order of the inputs, or one map from their names
   * @throws GridException BAD_ARGUMENT naming the input and the problem of its argument
   */
  static Variable[] bind(String graph, List<GraphInput> inputs, List<@Nullable Object> arguments) {
    Variable[] bound = new Variable[inputs.size()];
    if (arguments.size() == 1 && arguments.get(0) instanceof Map<?, ?> named) {
      for (Object name : named.keySet()) {
        if (inputs.stream().noneMatch(input -> input.name().equals(name))) {
          throw bad(graph, "has no input \"" + name + "\"; its inputs are " + inputs);
        }
      }
      for (int i = 0; i < bound.length; i++) {
        String name = inputs.get(i).name();
        if (!named.containsKey(name)) {
          throw bad(graph, "lacks the input \"" + name + "\"; its inputs are " + inputs);
        }
        bound[i] = checked(graph, inputs.get(i), named.get(name));
      }
    } else if (arguments.size() == bound.length) {
      Arrays.setAll(bound, i -> checked(graph, inputs.get(i), arguments.get(i)));
    } else {
      throw bad(
          graph,
          "takes " + bound.length + " tensors " + inputs + ", or a map; got " + arguments.size());
    }
    requireOneDevice(graph, inputs, bound);
    return bound;
  }

  /** Returns whether one of the arguments is a variable. */
  static boolean hasVariable(List<@Nullable Object> arguments) {
    Collection<?> given =
        arguments.size() == 1 && arguments.get(0) instanceof Map<?, ?> named
            ? named.values()
            : arguments;
    return given.stream().anyMatch(Variable.class::isInstance);
  }

  private static Variable checked(String graph, GraphInput input, @Nullable Object argument) {
    Variable variable =
        argument instanceof Tensor given
            ? Variable.of(given)
            : argument instanceof Variable given ? given : null;
    if (variable == null) {
      String got = argument == null ? "null" : argument.getClass().getName();
      throw bad(graph, "input \"" + input.name() + "\" takes a tensor, got " + got);
    }
    Tensor tensor = variable.value();
    if (tensor.dtype() != input.dtype()) {
      throw bad(
          graph,
          "input \"%s\" takes %s, got %s; convert it with to(DType.%s)"
              .formatted(input.name(), input.dtype(), tensor.dtype(), input.dtype()));
    }
    if (!input.takesShapeOf(tensor)) {
      throw bad(
          graph,
          "input \"%s\" takes the shape %s (-1 is any), got %s"
              .formatted(input.name(), input.shape(), Arrays.toString(tensor.shape())));
    }
    if (tensor.size() == 0) {
      throw bad(graph, "input \"" + input.name() + "\" must not be empty");
    }
    return variable;
  }

  private static void requireOneDevice(String graph, List<GraphInput> inputs, Variable[] bound) {
    for (int i = 1; i < bound.length; i++) {
      Device first = bound[0].value().device();
      if (!bound[i].value().device().equals(first)) {
        throw bad(
            graph,
            "all inputs must be on one device: \"%s\" is on %s, \"%s\" on %s"
                .formatted(
                    inputs.get(0).name(), first, inputs.get(i).name(), bound[i].value().device()));
      }
    }
  }

  private static GridException bad(String graph, String message) {
    return new GridException(Status.BAD_ARGUMENT, "graph \"" + graph + "\" " + message);
  }
}
