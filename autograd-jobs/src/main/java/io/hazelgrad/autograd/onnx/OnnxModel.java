package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxOperators;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An ONNX model that runs on the operations of the catalogue, with gradients. {@link OnnxExport}
 * makes one, {@link #read(Path)} reads one that another tool wrote, and {@link
 * io.hazelgrad.autograd.graph.Graphs#deploy(String, OnnxModel) Graphs.deploy} makes one callable on
 * all workers.
 *
 * <pre>{@code
 * OnnxModel model = OnnxModel.read(Path.of("digits.onnx"));
 * Tensor scores = model.run(Map.of("input", images)).get("output");
 * }</pre>
 *
 * <p>The floating-point initializers are its {@link #parameters}. A model must have all tensors in
 * one file, and no control flow. docs/models.md lists its operators.
 *
 * <p>Threads: safe. Any number of threads may run a model at once.
 */
public final class OnnxModel {
  /** The largest file that is read. */
  public static final int MAX_BYTES = 1 << 30;

  private final byte[] bytes;
  private final OnnxProgram program;

  private OnnxModel(byte[] bytes) {
    this.bytes = bytes;
    this.program = OnnxReader.read(bytes);
  }

  static OnnxModel of(byte[] bytes) {
    return new OnnxModel(bytes);
  }

  /**
   * Reads a model from bytes.
   *
   * @throws GridException BAD_VALUE if they are damaged or no ONNX model; NOT_ALLOWED if an
   *     operator, or a way to use it, does not run here
   */
  public static OnnxModel read(byte[] bytes) {
    return new OnnxModel(bytes.clone());
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read
   * @throws GridException as {@link #read(byte[])}; BAD_VALUE too if it is larger than {@link
   *     #MAX_BYTES}
   */
  public static OnnxModel read(Path file) throws IOException {
    long size = Files.size(file);
    if (size > MAX_BYTES) {
      throw new GridException(
          Status.BAD_VALUE,
          "%s has %d bytes; models of at most %d are read".formatted(file, size, MAX_BYTES));
    }
    try {
      return new OnnxModel(Files.readAllBytes(file));
    } catch (GridException e) {
      throw new GridException(e.status(), file + ": " + e.getMessage(), e);
    }
  }

  /** Writes the model to a file, and replaces an existing one. */
  public void write(Path file) throws IOException {
    Files.write(file, bytes);
  }

  /** Returns a copy of the model's bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns the inputs in the order of the model. */
  public List<OnnxValue> inputs() {
    return program.inputs();
  }

  /** Returns the outputs in the order of the model. */
  public List<OnnxValue> outputs() {
    return program.outputs();
  }

  /**
   * Returns the floating-point tensors that the outputs need, by name. They get gradients from
   * {@link #forward}, and an optimizer can set them in this object.
   */
  public Map<String, Variable> parameters() {
    Map<String, Variable> parameters = new LinkedHashMap<>(program.fixed());
    parameters.values().removeIf(variable -> !variable.requiresGrad());
    return Collections.unmodifiableMap(parameters);
  }

  /**
   * Computes the outputs of tensors, without gradients.
   *
   * @param inputs a tensor for each input, by name
   * @return the outputs by name, in the order of the model
   * @throws GridException BAD_ARGUMENT if inputs are missing or unknown or do not fit, with the
   *     node; REJECTED if there is no memory for a result
   */
  public Map<String, Tensor> run(Map<String, Tensor> inputs) {
    List<Variable> given = new ArrayList<>();
    for (OnnxValue input : inputs()) {
      Tensor tensor = inputs.get(input.name());
      if (tensor == null) {
        throw bad("lacks the input \"" + input.name() + "\"; its inputs are " + inputs());
      }
      given.add(Variable.of(tensor));
    }
    if (inputs.size() > given.size()) {
      throw bad("got the inputs " + inputs.keySet() + "; its inputs are " + inputs());
    }
    Map<String, Tensor> results = new LinkedHashMap<>();
    List<Variable> outputs = compute(given, false);
    for (int i = 0; i < outputs.size(); i++) {
      results.put(outputs().get(i).name(), outputs.get(i).value());
    }
    return results;
  }

  /** Computes the outputs of variables, in the order of the model, and records the operations. */
  public List<Variable> forward(Variable... inputs) {
    return compute(Arrays.asList(inputs), true);
  }

  /**
   * Computes the outputs, in the order of the model.
   *
   * @param inputs the inputs, in the order of the model
   * @param recorded whether gradients flow to the {@link #parameters}
   * @throws GridException as {@link #run}
   */
  public List<Variable> compute(List<Variable> inputs, boolean recorded) {
    if (inputs.size() != inputs().size()) {
      throw bad("takes " + inputs() + ", got " + inputs.size() + " inputs");
    }
    for (int i = 0; i < inputs.size(); i++) {
      OnnxValue wanted = inputs().get(i);
      Tensor given = inputs.get(i).value();
      if (given.dtype() != wanted.dtype() || !fits(wanted.shape(), given)) {
        throw bad("takes %s (-1 is any), got %s".formatted(wanted, given));
      }
    }
    return program.run(inputs, recorded);
  }

  private static boolean fits(List<Long> shape, Tensor given) {
    if (shape.isEmpty()) {
      return true;
    }
    boolean fits = given.rank() == shape.size();
    for (int i = 0; fits && i < shape.size(); i++) {
      fits = shape.get(i) < 0 || shape.get(i) == given.shape(i);
    }
    return fits;
  }

  /** Returns the names of the operators that a model may have, sorted. */
  public static Set<String> operators() {
    return Collections.unmodifiableSet(OnnxOperators.names());
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, "the ONNX model " + message);
  }

  @Override
  public String toString() {
    return "OnnxModel(" + inputs() + " to " + outputs() + ")";
  }
}
