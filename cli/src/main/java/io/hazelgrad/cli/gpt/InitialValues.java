package io.hazelgrad.cli.gpt;

import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The initial values of a model by a formula, so that every worker computes those of its part.
 *
 * @param parameters all parameters of the whole model; the place of one in the list is a part of
 *     the formula
 */
@RemoteValue
record InitialValues(List<Parameter> parameters) {
  private static final long FACTOR = 2_654_435_761L;
  private static final long FACTOR_OF_PLACE = 40_503;
  private static final long MASK = 0xFFFFFFFFL;
  private static final double RANGE = 0x1p32;

  InitialValues {
    parameters = List.copyOf(parameters);
  }

  /**
   * A parameter whose values spread around one number.
   *
   * @param name the name in the whole model
   * @param shape its extents
   * @param centre the number in the middle
   * @param spread the greatest distance from it
   */
  @RemoteValue
  record Parameter(String name, List<Long> shape, double centre, double spread) {
    Parameter {
      shape = List.copyOf(shape);
    }

    private static Parameter read(JsonFields fields) {
      List<Long> shape = new ArrayList<>();
      for (JsonNode extent : fields.list("shape")) {
        if (!extent.isIntegralNumber() || !extent.canConvertToLong()) {
          throw fields.bad("shape", "must be a list of integers, has " + extent);
        }
        shape.add(extent.longValue());
      }
      String name = fields.text("name");
      if (!fields.node().path("init").isTextual()) {
        return new Parameter(name, shape, 0, fields.number("init"));
      }
      String init = fields.text("init");
      return switch (init) {
        case "zeros" -> new Parameter(name, shape, 0, 0);
        case "ones" -> new Parameter(name, shape, 1, 0);
        default -> throw fields.bad("init", "must be zeros, ones or a number, is " + init);
      };
    }

    private Tensor values(int place) {
      long[] extents = shape.stream().mapToLong(each -> each).toArray();
      float[] values = new float[Math.toIntExact(Tensor.sizeOf(extents))];
      for (int i = 0; i < values.length; i++) {
        long mixed = ((i + 1L) * FACTOR + (place + 1) * FACTOR_OF_PLACE) & MASK;
        values[i] = (float) (centre + (mixed / RANGE * 2 * spread - spread));
      }
      return Tensor.wrap(values, extents);
    }
  }

  /** Reads the list "parameters" and compares it with the whole model. */
  static InitialValues read(JsonFields fields, Module<?, ?> model) {
    List<Parameter> parameters = new ArrayList<>();
    Map<String, Tensor> missing = new LinkedHashMap<>(model.state());
    for (JsonNode node : fields.list("parameters")) {
      String where = fields.where() + ", parameters[" + parameters.size() + "]";
      Parameter parameter = Parameter.read(JsonFields.of(node, where));
      String name = parameter.name();
      Tensor own = missing.remove(name);
      if (own == null) {
        throw fields.bad("parameters", "has " + name + ", unknown or for the second time");
      }
      if (!own.hasShape(parameter.shape().stream().mapToLong(each -> each).toArray())) {
        throw fields.bad(
            "parameters",
            "has %s of shape %s, but the model needs %s"
                .formatted(name, parameter.shape(), Arrays.toString(own.shape())));
      }
      parameters.add(parameter);
    }
    if (!missing.isEmpty()) {
      throw fields.bad("parameters", "lacks " + String.join(", ", missing.keySet()));
    }
    return new InitialValues(parameters);
  }

  /**
   * Returns values for a whole transformer: zeros for biases, ones for norms, and numbers of at
   * most {@code 1 / sqrt(width)} for all other weights.
   */
  static InitialValues of(Module<?, ?> model, int width) {
    List<Parameter> parameters = new ArrayList<>();
    model
        .state()
        .forEach(
            (name, value) -> {
              List<Long> shape = Arrays.stream(value.shape()).boxed().toList();
              if (name.endsWith("bias")) {
                parameters.add(new Parameter(name, shape, 0, 0));
              } else if (name.contains("norm")) {
                parameters.add(new Parameter(name, shape, 1, 0));
              } else {
                parameters.add(new Parameter(name, shape, 0, 1 / Math.sqrt(width)));
              }
            });
    return new InitialValues(parameters);
  }

  /** Gives the whole model, or a stage of it, its initial values. */
  void load(Module<?, ?> model) {
    Set<String> names = model.state().keySet();
    Map<String, Tensor> state = new LinkedHashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      if (names.contains(parameters.get(i).name())) {
        state.put(parameters.get(i).name(), parameters.get(i).values(i));
      }
    }
    model.load(state);
  }
}
