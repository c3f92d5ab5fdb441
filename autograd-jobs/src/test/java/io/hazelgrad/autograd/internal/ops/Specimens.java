package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Samples;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Makes arguments that an operation accepts, of random shapes, with FLOAT64 elements that are not
 * near a place where a gradient jumps.
 */
public final class Specimens {
  private final Random random;

  public Specimens(Random random) {
    this.random = random;
  }

  /** An operation with arguments to try it on. */
  public record Specimen(String operation, Attributes attributes, List<Tensor> inputs) {
    @Override
    public String toString() {
      return operation + " " + attributes + " " + inputs.stream().map(TensorType::of).toList();
    }
  }

  /** Makes arguments; fails on an operation that it does not know, lest one is forgotten. */
  public Specimen of(String operation) {
    Map<String, Object> attributes = new HashMap<>();
    List<Tensor> inputs = inputs(operation, attributes);
    return new Specimen(operation, Attributes.of(attributes), inputs);
  }

  private List<Tensor> inputs(String operation, Map<String, Object> attributes) {
    return switch (operation) {
      case "add", "sub", "mul", "div", "maximum", "minimum", "mse_loss", "l1_loss" ->
          pair(operation, attributes);
      case "eq", "ne", "lt", "le", "gt", "ge" -> pair(operation, attributes);
      case "smooth_l1_loss" -> {
        maybe(attributes, "beta", random.nextInt(3) / 2.0);
        yield pair(operation, attributes);
      }
      case "pow" -> power(attributes);
      case "where" -> {
        long[] shape = shape();
        Tensor condition = tensor(part(shape)).to(DType.INT64).to(DType.BOOL);
        yield List.of(condition, tensor(part(shape)), tensor(shape));
      }
      case "neg",
          "exp",
          "expm1",
          "sin",
          "cos",
          "erf",
          "tanh",
          "sigmoid",
          "log_sigmoid",
          "relu",
          "abs",
          "sign",
          "floor",
          "ceil",
          "square",
          "silu",
          "reciprocal",
          "identity",
          "detach" ->
          List.of(tensor(shape()));
      case "log", "sqrt", "rsqrt", "log1p" -> List.of(positive(shape()));
      case "leaky_relu", "elu", "gelu", "softplus", "clamp", "dropout" ->
          activation(operation, attributes);
      case "softmax", "log_softmax", "cumsum" -> {
        long[] shape = shape();
        attributes.put("dim", dim(shape));
        yield List.of(tensor(shape));
      }
      case "sum", "mean", "amax", "amin", "prod", "var", "std", "norm", "logsumexp" ->
          reduction(operation, attributes);
      case "cast" -> {
        attributes.put("dtype", "FLOAT64");
        yield List.of(tensor(shape()));
      }
      case "max", "min", "argmax", "argmin" -> {
        long[] shape = filled();
        maybe(attributes, "dim", dim(shape));
        maybe(attributes, "keepdim", random.nextBoolean());
        yield List.of(distinct(shape));
      }
      case "matmul" -> product();
      case "dot" -> {
        long n = random.nextInt(5);
        yield List.of(tensor(n), tensor(n));
      }
      case "linear" -> {
        long[] shape = ShapeRules.withOne(shape(), 0);
        long out = extent();
        Tensor x = tensor(shape);
        Tensor weight = tensor(out, shape[shape.length - 1]);
        yield random.nextBoolean() ? List.of(x, weight) : List.of(x, weight, tensor(out));
      }
      case "reshape", "transpose", "permute", "expand", "squeeze", "unsqueeze" ->
          moved(operation, attributes);
      case "concat", "stack" -> joined(operation, attributes);
      case "pad" -> padded(attributes);
      case "slice", "index_select", "gather", "embedding" -> indexed(operation, attributes);
      case "layer_norm", "batch_norm" -> normalised(operation, attributes);
      case "conv1d", "conv2d" -> convolved(operation.equals("conv1d") ? 1 : 2, attributes);
      case "max_pool2d", "avg_pool2d" -> pooled(operation, attributes);
      case "nll_loss", "cross_entropy" -> classified(operation, attributes);
      case "bce", "bce_with_logits" -> binary(operation, attributes);
      case "scaled_dot_product_attention", "multi_head_attention" ->
          attention(operation, attributes);
      case "lstm", "gru" -> recurrent(operation);
      default -> throw new AssertionError("no arguments for " + operation);
    };
  }

  private void maybe(Map<String, Object> attributes, String name, Object value) {
    if (random.nextBoolean()) {
      attributes.put(name, value);
    }
  }

  private void reduce(Map<String, Object> attributes) {
    maybe(attributes, "reduction", List.of("mean", "sum", "none").get(random.nextInt(3)));
  }

  private List<Tensor> pair(String operation, Map<String, Object> attributes) {
    long[] shape = shape();
    if (operation.equals("add") || operation.equals("sub")) {
      maybe(attributes, "alpha", random.nextInt(7) / 2.0 - 1);
    } else if (operation.endsWith("loss")) {
      reduce(attributes);
    }
    Tensor whole = tensor(shape);
    Tensor part = tensor(part(shape));
    return random.nextBoolean() ? List.of(whole, part) : List.of(part, whole);
  }

  private List<Tensor> power(Map<String, Object> attributes) {
    long[] shape = shape();
    if (random.nextBoolean()) {
      return List.of(positive(shape), tensor(part(shape)));
    }
    double exponent = random.nextInt(9) / 2.0 - 2;
    attributes.put("exponent", exponent);
    return List.of(exponent == Math.rint(exponent) ? tensor(shape) : positive(shape));
  }

  private List<Tensor> activation(String operation, Map<String, Object> attributes) {
    long[] shape = shape();
    switch (operation) {
      case "leaky_relu" -> maybe(attributes, "negative_slope", random.nextDouble());
      case "elu" -> maybe(attributes, "alpha", random.nextDouble() + 0.1);
      case "gelu" -> maybe(attributes, "approximate", random.nextBoolean() ? "none" : "tanh");
      case "softplus" -> {
        maybe(attributes, "beta", random.nextDouble() + 0.5);
        maybe(attributes, "threshold", 20);
      }
      case "clamp" -> {
        attributes.put("min", -random.nextDouble());
        maybe(attributes, "max", random.nextDouble());
      }
      default -> {
        attributes.put("p", random.nextInt(4) / 4.0);
        if (random.nextBoolean()) {
          return List.of(tensor(shape), tensor(shape));
        }
        attributes.put("seed", random.nextLong());
      }
    }
    return List.of(tensor(shape));
  }

  private List<Tensor> reduction(String operation, Map<String, Object> attributes) {
    boolean sums = operation.equals("sum") || operation.equals("mean");
    long[] shape = sums ? shape() : filled();
    int[] dims = IntStream.range(0, shape.length).filter(d -> random.nextBoolean()).toArray();
    maybe(attributes, "dim", random.nextBoolean() && dims.length == 1 ? dims[0] : dims);
    maybe(attributes, "keepdim", random.nextBoolean());
    switch (operation) {
      case "var", "std" -> {
        maybe(attributes, "unbiased", false);
        attributes.remove("dim");
        return List.of(distinct(ShapeRules.with(ShapeRules.withOne(shape, 0), 0, 3)));
      }
      case "norm" -> {
        double infinity = Double.POSITIVE_INFINITY;
        double[] orders = {0, 0.5, 1, 1.5, 2, 3, -1, infinity, -infinity};
        maybe(attributes, "p", orders[random.nextInt(orders.length)]);
        return List.of(distinct(shape));
      }
      case "amax", "amin" -> {
        return List.of(distinct(shape));
      }
      default -> {
        return List.of(tensor(shape));
      }
    }
  }

  private List<Tensor> product() {
    long k = extent();
    long[] batch = Arrays.copyOf(shape(), random.nextInt(3));
    Arrays.setAll(batch, i -> Math.max(1, batch[i]));
    long[] batchA = random.nextBoolean() ? batch : part(batch);
    long[] a = append(batchA, extent(), k);
    long[] b = append(batch, k, extent());
    return switch (random.nextInt(4)) {
      case 0 -> List.of(tensor(k), tensor(b));
      case 1 -> List.of(tensor(a), tensor(k));
      default -> List.of(tensor(a), tensor(b));
    };
  }

  private List<Tensor> moved(String operation, Map<String, Object> attributes) {
    long[] shape = shape();
    switch (operation) {
      case "reshape" -> attributes.put("shape", new long[] {Tensor.sizeOf(shape), 1});
      case "transpose" -> {
        attributes.put("dim0", dim(shape));
        attributes.put("dim1", dim(shape));
      }
      case "permute" -> {
        List<Integer> dims = new ArrayList<>(IntStream.range(0, shape.length).boxed().toList());
        Collections.shuffle(dims, random);
        attributes.put("dims", dims);
      }
      case "expand" -> {
        attributes.put("shape", append(new long[] {2}, shape));
        return List.of(tensor(part(shape)));
      }
      case "squeeze" -> maybe(attributes, "dim", dim(shape));
      default -> attributes.put("dim", random.nextInt(shape.length + 1));
    }
    return List.of(tensor(shape));
  }

  private List<Tensor> joined(String operation, Map<String, Object> attributes) {
    long[] shape = operation.equals("stack") ? shape() : ShapeRules.withOne(shape(), 0);
    int dim = shape.length == 0 ? 0 : random.nextInt(shape.length);
    attributes.put("dim", random.nextBoolean() && shape.length > 0 ? dim - shape.length : dim);
    if (operation.equals("stack")) {
      attributes.put("dim", dim);
    }
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(4); i++) {
      long[] part = operation.equals("stack") ? shape : ShapeRules.with(shape, dim, extent());
      inputs.add(tensor(part));
    }
    return inputs;
  }

  private List<Tensor> padded(Map<String, Object> attributes) {
    long[] shape = filled();
    long[] pad = new long[2 * random.nextInt(shape.length + 1)];
    Arrays.setAll(pad, i -> random.nextInt(3));
    if (pad.length > 0 && random.nextBoolean()) {
      pad[random.nextInt(pad.length)] = -1;
    }
    attributes.put("pad", pad);
    switch (random.nextInt(4)) {
      case 0 -> maybe(attributes, "value", 0.5);
      case 1 -> attributes.put("mode", "replicate");
      default -> {
        String mode = random.nextBoolean() ? "reflect" : "circular";
        for (int i = 0; i < pad.length; i++) {
          long extent = shape[shape.length - 1 - i / 2];
          pad[i] = Math.min(pad[i], mode.equals("reflect") ? extent - 1 : extent);
        }
        attributes.put("mode", mode);
      }
    }
    return List.of(tensor(shape));
  }

  private List<Tensor> indexed(String operation, Map<String, Object> attributes) {
    long[] shape = append(filled(), 3);
    int dim = random.nextInt(shape.length);
    int extent = (int) shape[dim];
    if (!operation.equals("embedding")) {
      attributes.put("dim", random.nextBoolean() ? dim : dim - shape.length);
    }
    switch (operation) {
      case "slice" -> {
        maybe(attributes, "start", random.nextInt(5) - 2);
        maybe(attributes, "end", random.nextInt(7) - 2);
        maybe(attributes, "step", 1 + random.nextInt(3));
        return List.of(tensor(shape));
      }
      case "index_select" -> {
        return List.of(tensor(shape), index(extent, random.nextInt(5)));
      }
      case "gather" -> {
        long[] some = Arrays.stream(shape).map(n -> 1 + random.nextInt((int) n)).toArray();
        return List.of(tensor(shape), index(extent, ShapeRules.with(some, dim, extent())));
      }
      default -> {
        // No padding_idx: the row has an influence all the same, but shall have no gradient.
        int rows = 1 + random.nextInt(4);
        return List.of(index(rows, shape()), tensor(rows, extent()));
      }
    }
  }

  private List<Tensor> normalised(String operation, Map<String, Object> attributes) {
    maybe(attributes, "eps", 1e-3);
    if (operation.equals("layer_norm")) {
      long[] end = append(Arrays.copyOf(filled(), random.nextInt(2)), 4);
      Arrays.setAll(end, i -> Math.max(1, end[i]));
      attributes.put("normalized_shape", end);
      Tensor x = tensor(append(Arrays.copyOf(new long[] {2, 3}, random.nextInt(3)), end));
      List<Tensor> all = List.of(x, tensor(end), tensor(end));
      return all.subList(0, 1 + random.nextInt(3));
    }
    attributes.put("training", random.nextBoolean());
    maybe(attributes, "momentum", 0.3);
    long channels = 1L + random.nextInt(3);
    long[] more = Arrays.copyOf(new long[] {2, 2}, random.nextInt(3));
    Tensor x = tensor(append(new long[] {3, channels}, more));
    List<Tensor> all =
        List.of(x, tensor(channels), positive(channels), tensor(channels), tensor(channels));
    return all.subList(0, 3 + random.nextInt(3));
  }

  private List<Tensor> convolved(int rank, Map<String, Object> attributes) {
    int groups = 1 + random.nextInt(2);
    maybe(attributes, "stride", 1 + random.nextInt(2));
    maybe(attributes, "padding", random.nextInt(2));
    maybe(attributes, "dilation", 1 + random.nextInt(2));
    attributes.put("groups", groups);
    long channels = groups * (1L + random.nextInt(2));
    long outputs = groups * (1L + random.nextInt(2));
    long[] plane = new long[rank];
    long[] kernel = new long[rank];
    for (int i = 0; i < rank; i++) {
      plane[i] = 4L + random.nextInt(2);
      kernel[i] = 1L + random.nextInt(2);
    }
    long[] front =
        random.nextBoolean() ? new long[] {random.nextInt(3), channels} : new long[] {channels};
    Tensor a = tensor(append(front, plane));
    Tensor weight = tensor(append(new long[] {outputs, channels / groups}, kernel));
    return random.nextBoolean() ? List.of(a, weight) : List.of(a, weight, tensor(outputs));
  }

  private List<Tensor> pooled(String operation, Map<String, Object> attributes) {
    int kernel = 2 + random.nextInt(2);
    attributes.put("kernel", kernel);
    maybe(attributes, "stride", 1 + random.nextInt(3));
    maybe(attributes, "padding", random.nextInt(kernel / 2 + 1));
    maybe(attributes, "ceil_mode", random.nextBoolean());
    if (operation.equals("avg_pool2d")) {
      maybe(attributes, "count_include_pad", random.nextBoolean());
    } else if (!attributes.containsKey("padding")) {
      maybe(attributes, "dilation", 1 + random.nextInt(2));
    }
    long[] front = Arrays.copyOf(new long[] {2, 2}, 1 + random.nextInt(2));
    return List.of(distinct(append(front, 5, 5 + random.nextInt(2))));
  }

  private List<Tensor> classified(String operation, Map<String, Object> attributes) {
    reduce(attributes);
    maybe(attributes, "ignore_index", 1);
    int classes = 2 + random.nextInt(3);
    long[] positions = Arrays.copyOf(new long[] {3, 2}, random.nextInt(3));
    long[] shape =
        positions.length == 0
            ? new long[] {classes}
            : ShapeRules.with(ShapeRules.withOne(positions, 1), 1, classes);
    List<Tensor> all = List.of(tensor(shape), index(classes, positions), positive(classes));
    if (operation.equals("cross_entropy")) {
      maybe(attributes, "label_smoothing", 0.3);
    }
    return all.subList(0, 2 + random.nextInt(2));
  }

  private List<Tensor> binary(String operation, Map<String, Object> attributes) {
    reduce(attributes);
    long[] shape = shape();
    Tensor target = probabilities(shape);
    boolean logits = operation.equals("bce_with_logits");
    Tensor a = logits ? tensor(shape) : probabilities(shape);
    List<Tensor> all = List.of(a, target, positive(part(shape)), positive(part(shape)));
    return all.subList(0, 2 + random.nextInt(logits ? 3 : 2));
  }

  private List<Tensor> attention(String operation, Map<String, Object> attributes) {
    maybe(attributes, "causal", random.nextBoolean());
    long queries = 1L + random.nextInt(3);
    long keys = 1L + random.nextInt(3);
    Tensor mask = tensor(queries, keys);
    if (operation.startsWith("scaled")) {
      long[] batch = Arrays.stream(shape()).limit(2).toArray();
      long[] part = part(batch);
      Tensor q = tensor(append(part(batch), queries, 2));
      Tensor k = tensor(append(part, keys, 2));
      return List.of(q, k, tensor(append(part, keys, 3)), mask).subList(0, 3 + random.nextInt(2));
    }
    attributes.put("heads", 1 + random.nextInt(2));
    long e = 4;
    Tensor query = tensor(2, queries, e);
    Tensor key = tensor(2, keys, e);
    Tensor value = tensor(2, keys, e);
    Tensor in = tensor(3 * e, e);
    Tensor out = tensor(e, e);
    return List.of(query, key, value, in, tensor(3 * e), out, tensor(e), mask)
        .subList(0, 7 + random.nextInt(2));
  }

  private List<Tensor> recurrent(String operation) {
    long gates = operation.equals("lstm") ? 4 : 3;
    long batch = random.nextInt(3);
    long width = 1L + random.nextInt(2);
    long hidden = 1L + random.nextInt(2);
    List<Tensor> all = new ArrayList<>();
    all.add(tensor(1 + random.nextInt(3), batch, width));
    all.add(tensor(batch, hidden));
    if (gates == 4) {
      all.add(tensor(batch, hidden));
    }
    all.add(tensor(gates * hidden, width));
    all.add(tensor(gates * hidden, hidden));
    all.add(tensor(gates * hidden));
    all.add(tensor(gates * hidden));
    return all.subList(0, all.size() - random.nextInt(3));
  }

  private int extent() {
    return random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(3);
  }

  private long[] shape() {
    long[] shape = new long[random.nextInt(5)];
    Arrays.setAll(shape, i -> random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(3));
    return shape;
  }

  /** Returns a shape without a 0. */
  private long[] filled() {
    return Arrays.stream(shape()).map(n -> Math.max(1, n)).toArray();
  }

  /** Returns a shape that broadcasts to that one. */
  private long[] part(long[] shape) {
    long[] part = Arrays.copyOfRange(shape, random.nextInt(shape.length + 1), shape.length);
    Arrays.setAll(part, i -> random.nextInt(3) == 0 ? 1 : part[i]);
    return part;
  }

  private int dim(long[] shape) {
    int rank = Math.max(1, shape.length);
    return random.nextInt(2 * rank) - rank;
  }

  private static long[] append(long[] front, long... end) {
    long[] all = Arrays.copyOf(front, front.length + end.length);
    System.arraycopy(end, 0, all, front.length, end.length);
    return all;
  }

  private Tensor tensor(long... shape) {
    return Samples.random(random, shape);
  }

  private Tensor positive(long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(data, i -> 0.3 + 1.5 * random.nextDouble());
    return Tensor.wrap(data, shape);
  }

  private Tensor probabilities(long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(data, i -> 0.1 + 0.8 * random.nextDouble());
    return Tensor.wrap(data, shape);
  }

  /** Returns elements of which no two have nearly the same magnitude, of either sign. */
  private Tensor distinct(long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(data, i -> (random.nextBoolean() ? 1 : -1) * (0.2 + 0.05 * i));
    for (int i = data.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      double swapped = data[i];
      data[i] = data[j];
      data[j] = swapped;
    }
    return Tensor.wrap(data, shape);
  }

  private Tensor index(int extent, long... shape) {
    long[] data = new long[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(data, i -> random.nextInt(extent));
    return Tensor.wrap(data, shape);
  }
}
