package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The functions on the owner of a module that a {@link RemoteModule} calls. */
@RemoteFunctions
final class ModuleService {
  private static final Function<?> FORWARD = named("forward", Device.class, Object.class);
  static final Function<Integer> MOVE = named("move", Device.class);
  static final Function<List<RRef<Variable>>> PARAMETERS = named("parameters");
  static final Function<Integer> SET_MODE = named("setMode", boolean.class);
  static final Function<Map<String, Tensor>> STATE = named("state");
  static final Function<Integer> LOAD = named("load", Map.class, boolean.class);

  private ModuleService() {}

  private static <R> Function<R> named(String method, Class<?>... more) {
    Stream<Class<?>> parameters = Stream.concat(Stream.of(Module.class), Stream.of(more));
    return Function.named(ModuleService.class, method, parameters.toArray(Class<?>[]::new));
  }

  /** Returns the function that computes, whose result is of the module's own type. */
  @SuppressWarnings("unchecked") // Nobody but the module knows the type.
  static <O> Function<O> forward() {
    return (Function<O>) FORWARD;
  }

  static Object forward(Module<Object, Object> module, Device device, Object input) {
    Device from = deviceOf(input, device);
    return moved(module.forward(moved(input, device)), from);
  }

  static int move(Module<?, ?> module, Device device) {
    Grid here = Grid.current();
    new ModulePlace(here.worker().name(), device).requireDevice(here);
    module.to(device);
    return 0;
  }

  static List<RRef<Variable>> parameters(Module<?, ?> module) {
    return module.parameterRRefs(Grid.current());
  }

  static int setMode(Module<?, ?> module, boolean training) {
    if (training) {
      module.train();
    } else {
      module.eval();
    }
    return 0;
  }

  static Map<String, Tensor> state(Module<?, ?> module) {
    return module.state();
  }

  static int load(Module<?, ?> module, Map<String, Tensor> state, boolean all) {
    module.load(state, all);
    return 0;
  }

  /** Returns where the first variable or tensor of a value is, or a device if it has none. */
  private static Device deviceOf(@Nullable Object value, Device otherwise) {
    if (value instanceof Variable variable) {
      return variable.value().device();
    }
    if (value instanceof Tensor tensor) {
      return tensor.device();
    }
    if (value instanceof List<?> list) {
      return list.isEmpty() ? otherwise : deviceOf(list.get(0), otherwise);
    }
    if (value instanceof Map<?, ?> map) {
      return map.isEmpty() ? otherwise : deviceOf(map.values().iterator().next(), otherwise);
    }
    return otherwise;
  }

  private static Object moved(Object value, Device device) {
    if (value instanceof Variable variable) {
      return variable.to(device);
    }
    if (value instanceof Tensor tensor) {
      return tensor.to(device);
    }
    if (value instanceof List<?> list) {
      List<Object> all = new ArrayList<>();
      list.forEach(each -> all.add(moved(each, device)));
      return all;
    }
    if (value instanceof Map<?, ?> map) {
      Map<Object, Object> all = new LinkedHashMap<>();
      map.forEach((key, each) -> all.put(key, moved(each, device)));
      return all;
    }
    return value;
  }
}
