package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Locale;

/**
 * Tensors as JSON: {@code {"shape": [2], "dtype": "float64", "data": [1.5, "NaN"]}}, row by row;
 * NaN and infinities are texts.
 */
final class TensorJson {
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
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    ArrayNode shape = node.putArray("shape");
    for (long extent : tensor.shape()) {
      shape.add(extent);
    }
    node.put("dtype", tensor.dtype().name().toLowerCase(Locale.ROOT));
    ArrayNode data = node.putArray("data");
    if (tensor.dtype().isFloating()) {
      for (double value : tensor.toDoubles()) {
        if (Double.isFinite(value)) {
          data.add(value);
        } else {
          data.add(Double.toString(value));
        }
      }
    } else {
      for (long value : tensor.toLongs()) {
        data.add(value);
      }
    }
    return node;
  }

  private static DType dtype(JsonFields fields) {
    String name = fields.text("dtype");
    for (DType dtype : DType.values()) {
      if (dtype.name().toLowerCase(Locale.ROOT).equals(name)) {
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
      JsonNode element = list.get(i);
      values[i] =
          switch (element.isNumber() ? "" : element.asText()) {
            case "" -> element.doubleValue();
            case "NaN" -> Double.NaN;
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> throw fields.bad("data", "[" + i + "] is no number: " + element);
          };
    }
    return values;
  }
}
