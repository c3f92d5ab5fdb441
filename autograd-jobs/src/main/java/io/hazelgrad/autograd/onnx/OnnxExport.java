package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The export of a module or a function to ONNX, operator set 18. The function runs with examples,
 * and the operations that it applies become the model, as with {@code torch.onnx.export}:
 *
 * <pre>{@code
 * model.eval();
 * OnnxExport.of(model, example).toModel().write(Path.of("digits.onnx"));
 * }</pre>
 *
 * <p><b>What is recorded.</b> The operations of the catalogue on the thread that calls {@link
 * #toModel}. Java code between them runs once: branches and loops are written as they went for the
 * examples, and a tensor that does not come from an operation becomes a constant.
 *
 * <p><b>The batch.</b> By default dimension 0 of each input is the batch, and the model takes any
 * batch. The function runs a second time with one more row. What differs between the two runs must
 * be an extent; otherwise the export fails and says where. {@link #withBatchDim} names another
 * dimension, {@link #withFixedShapes} keeps the shapes of the examples.
 *
 * <p><b>Parameters</b> and buffers of a module become initializers under torch's names, those of
 * {@link Module#state()}.
 *
 * <p>Threads: immutable, hence safe.
 */
public final class OnnxExport {
  private static final int NO_BATCH = -1;

  private final Map<String, Tensor> examples;
  private final Function<Map<String, Variable>, ? extends Map<String, Variable>> function;
  private final Map<String, Tensor> parameters;
  private final Map<String, Integer> batchDims;

  private OnnxExport(
      Map<String, Tensor> examples,
      Function<Map<String, Variable>, ? extends Map<String, Variable>> function,
      Map<String, Tensor> parameters,
      Map<String, Integer> batchDims) {
    this.examples = Collections.unmodifiableMap(new LinkedHashMap<>(examples));
    this.function = function;
    this.parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    this.batchDims = Map.copyOf(batchDims);
  }

  /**
   * Describes the export of a module with the input {@code input} and the output {@code output}.
   *
   * @param module the module, set to evaluation by {@link Module#eval()}
   * @param example an input that it accepts
   */
  public static OnnxExport of(Module<Variable, Variable> module, Tensor example) {
    return of(
            Map.of("input", example),
            inputs -> Map.of("output", module.forward(Objects.requireNonNull(inputs.get("input")))))
        .withParameters(module.state());
  }

  /**
   * Describes the export of a function of named inputs to named outputs.
   *
   * @param examples the inputs in the order of the model, each with a tensor that is accepted
   */
  public static OnnxExport of(
      Map<String, Tensor> examples,
      Function<Map<String, Variable>, ? extends Map<String, Variable>> function) {
    Map<String, Integer> dims = new LinkedHashMap<>();
    examples.forEach((name, example) -> dims.put(name, example.rank() == 0 ? NO_BATCH : 0));
    return new OnnxExport(examples, function, Map.of(), dims);
  }

  /**
   * Returns the same with names for tensors that the function uses, such as {@link Module#state()}.
   */
  public OnnxExport withParameters(Map<String, Tensor> named) {
    Map<String, Tensor> all = new LinkedHashMap<>(parameters);
    all.putAll(named);
    return new OnnxExport(examples, function, all, batchDims);
  }

  /**
   * Returns the same with another dimension of an input as its batch.
   *
   * @param dim the dimension from 0, or -1 if the input has no batch
   * @throws GridException BAD_ARGUMENT if there is no such input or dimension
   */
  public OnnxExport withBatchDim(String input, int dim) {
    Tensor example = examples.get(input);
    if (example == null) {
      throw bad("there is no input \"" + input + "\"; there are " + examples.keySet());
    }
    if (dim < NO_BATCH || dim >= example.rank()) {
      throw bad(
          "batch dimension " + dim + " of input \"" + input + "\": its example is " + example);
    }
    Map<String, Integer> dims = new LinkedHashMap<>(batchDims);
    dims.put(input, dim);
    return new OnnxExport(examples, function, parameters, dims);
  }

  /** Returns the same for a model that takes the shapes of the examples only. */
  public OnnxExport withFixedShapes() {
    Map<String, Integer> dims = new LinkedHashMap<>(batchDims);
    dims.replaceAll((name, dim) -> NO_BATCH);
    return new OnnxExport(examples, function, parameters, dims);
  }

  /**
   * Runs the function and returns the model.
   *
   * @throws GridException BAD_ARGUMENT if an operation has no counterpart in ONNX, or if something
   *     other than an extent depends on the batch; and what the function throws
   */
  public OnnxModel toModel() {
    TracedFunction first = TracedFunction.of(examples, function);
    String input = "";
    long batch = 0;
    for (Map.Entry<String, Tensor> example : examples.entrySet()) {
      int dim = dim(example.getKey());
      if (dim != NO_BATCH) {
        long own = example.getValue().shape(dim);
        if (!input.isEmpty() && own != batch) {
          throw bad(
              "the batch is %d in input \"%s\" and %d in \"%s\"; name their batch dimensions with withBatchDim"
                  .formatted(batch, input, own, example.getKey()));
        }
        input = example.getKey();
        batch = own;
      }
    }
    TracedFunction second = input.isEmpty() ? first : second(batch);
    if (!first.hasStructureOf(second)) {
      throw bad(
          "the operations depend on the batch: they differ for %d and %d rows; use withFixedShapes()"
              .formatted(batch, batch + 1));
    }
    NodeWriter nodes = new NodeWriter();
    BatchExtents extents =
        new BatchExtents(nodes, input, input.isEmpty() ? NO_BATCH : dim(input), batch);
    return OnnxModel.of(new TraceWriter(nodes, extents, first, second, parameters).write(examples));
  }

  private int dim(String input) {
    return batchDims.getOrDefault(input, NO_BATCH);
  }

  private TracedFunction second(long batch) {
    Map<String, Tensor> larger = new LinkedHashMap<>();
    examples.forEach((name, example) -> larger.put(name, larger(example, dim(name))));
    try {
      return TracedFunction.of(larger, function);
    } catch (GridException e) {
      throw new GridException(
          e.status(),
          "with a batch of %d in place of %d, which tries whether the model takes any batch: %s"
              .formatted(batch + 1, batch, e.getMessage()),
          e);
    }
  }

  /** Returns an example with its first row once more, or with a row of zeros if it has none. */
  private static Tensor larger(Tensor example, int dim) {
    if (dim == NO_BATCH) {
      return example;
    }
    long[] row = example.shape();
    row[dim] = 1;
    Variable x = Variable.of(example);
    Variable more =
        example.shape(dim) == 0
            ? Variable.of(Tensor.zeros(example.dtype(), row))
            : Variable.apply("slice", Attributes.of(Map.of("dim", dim, "end", 1)), x);
    return Variable.apply("concat", Attributes.of("dim", dim), x, more).value();
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, "export to ONNX: " + message);
  }
}
