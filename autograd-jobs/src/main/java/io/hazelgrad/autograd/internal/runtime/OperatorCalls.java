package io.hazelgrad.autograd.internal.runtime;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.OperatorCatalog;
import io.hazelgrad.rref.DereferenceMark;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operation catalogue as operators of calls. The arguments are tensors or variables, and
 * optionally a map of attributes at the end. The result is a variable if one of them is.
 */
final class OperatorCalls implements OperatorCatalog {
  @Override
  public void check(String operator, List<@Nullable Object> arguments) {
    Operation operation = Catalogue.get(operator);
    List<TensorType> types = new ArrayList<>();
    for (Object argument : inputs(operator, arguments)) {
      if (argument instanceof Tensor tensor) {
        types.add(TensorType.of(tensor));
      } else if (argument instanceof Variable variable) {
        types.add(TensorType.of(variable.value()));
      } else if (argument instanceof DereferenceMark) {
        return; // The object of an RRef: only the owner knows its type.
      } else {
        throw bad(
            operator,
            argument instanceof RRef<?>
                ? "call the operator through the RRef: rref.sync(Function.operator(...))"
                : "its arguments are tensors or variables, then a map of attributes; got "
                    + (argument == null ? "null" : argument.getClass().getName()));
      }
    }
    var unused = operation.check(types, attributes(operator, arguments));
  }

  @Override
  public Object apply(String operator, List<@Nullable Object> arguments) {
    List<@Nullable Object> inputs = inputs(operator, arguments);
    Variable[] variables = new Variable[inputs.size()];
    boolean tensors = true;
    for (int i = 0; i < variables.length; i++) {
      Object input = inputs.get(i);
      if (input instanceof Variable variable) {
        variables[i] = variable;
        tensors = false;
      } else if (input instanceof Tensor tensor) {
        variables[i] = Variable.of(tensor);
      } else {
        throw bad(operator, "argument " + i + " is no tensor: " + input);
      }
    }
    Variable result = Variable.apply(operator, attributes(operator, arguments), variables);
    return tensors ? result.value() : result;
  }

  private static List<@Nullable Object> inputs(String operator, List<@Nullable Object> arguments) {
    if (arguments.isEmpty()) {
      throw bad(operator, "it needs arguments, got none");
    }
    Object last = arguments.get(arguments.size() - 1);
    return last instanceof Map<?, ?> ? arguments.subList(0, arguments.size() - 1) : arguments;
  }

  private static Attributes attributes(String operator, List<@Nullable Object> arguments) {
    if (!(arguments.get(arguments.size() - 1) instanceof Map<?, ?> given)) {
      return Attributes.none();
    }
    Map<String, Object> named = new HashMap<>();
    given.forEach(
        (name, value) -> {
          if (!(name instanceof String text) || value == null) {
            throw bad(operator, "attributes have names and values, got " + name + "=" + value);
          }
          named.put(text, value);
        });
    return Attributes.of(named);
  }

  private static GridException bad(String operator, String message) {
    return new GridException(Status.BAD_ARGUMENT, operator + ": " + message);
  }
}
