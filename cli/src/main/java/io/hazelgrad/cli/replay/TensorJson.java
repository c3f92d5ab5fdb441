package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tensors as JSON: {@code {"shape": [2], "dtype": "float64", "data": [1.5, "NaN"]}}, row by row;
 * NaN and infinities are texts.
 */
final class TensorJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The numbers for which JSON has no literals; Jackson writes them as these texts. */
  private static final Map<String, Double> NOT_FINITE =
      Map.of(
          "NaN", Double.NaN,
          "Infinity", Double.POSITIVE_INFINITY,
          "-Infinity", Double.NEGATIVE_INFINITY);

  private TensorJson() {}

  static Tensor read(JsonNode node, String where) {
    JsonFields fields = JsonFields.of(node, where);
    long[] shape = longs(fields, "shape");
    DType dtype = dtype(fields);
    try {
      if (dtype.isFloating()) {
        return Tensor.wrap(doubles(fields), shape).to(dtype);
      }
      return Tensor.wrap(longs(fields, "data"), shape).to(dtype);
    } catch (IllegalArgumentException e) {
      throw fields.bad("data", "does not fit: " + e.getMessage());
    }
  }

  static ObjectNode write(Tensor tensor) {
    boolean floating = tensor.dtype().isFloating();
    ObjectNode node = JSON.createObjectNode();
    node.set("shape", JSON.valueToTree(tensor.shape()));
    node.put("dtype", name(tensor.dtype()));
    node.set("data", JSON.valueToTree(floating ? tensor.toDoubles() : tensor.toLongs()));
    return node;
  }

  private static String name(DType dtype) {
    return dtype.name().toLowerCase(Locale.ROOT);
  }

  private static DType dtype(JsonFields fields) {
    String name = fields.text("dtype");
    for (DType dtype : DType.values()) {
      if (name(dtype).equals(name)) {
        return dtype;
      }
    }
    throw fields.bad("dtype", "is unknown: \"" + name + "\"");
  }

  private static long[] longs(JsonFields fields, String name) {
    JsonNode list = fields.list(name);
    long[] values = new long[list.size()];
    for (int i = 0; i < values.length; i++) {
      JsonNode element = list.get(i);
      if (element.isBoolean()) {
        values[i] = element.booleanValue() ? 1 : 0;
      } else if (element.isIntegralNumber() && element.canConvertToLong()) {
        values[i] = element.longValue();
      } else {
        throw fields.bad(name, "[" + i + "] is no integer: " + element);
      }
    }
    return values;
  }

  private static double[] doubles(JsonFields fields) {
    JsonNode list = fields.list("data");
    double[] values = new double[list.size()];
    for (int i = 0; i < values.length; i++) {
      Double value = number(list.get(i));
      if (value == null) {
        throw fields.bad("data", "[" + i + "] is no number: " + list.get(i));
      }
      values[i] = value;
    }
    return values;
  }

  /** Returns the value of a number or of a text for what JSON cannot write, null for others. */
  static @Nullable Double number(JsonNode element) {
    return element.isNumber() ? (Double) element.doubleValue() : NOT_FINITE.get(element.asText());
  }
}
