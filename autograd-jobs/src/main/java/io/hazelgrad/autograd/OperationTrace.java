package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operations that one thread applies to variables while the trace is open, in their order. The
 * export of models reads a computation from it.
 *
 * <p>Scopes nest; the innermost one gets the operations. Functions that run on other workers or
 * threads are not in it.
 *
 * <p>Threads: the thread that began a trace uses and closes it.
 */
public final class OperationTrace implements AutoCloseable {
  private static final ThreadLocal<@Nullable OperationTrace> CURRENT = new ThreadLocal<>();

  private final @Nullable OperationTrace outer = CURRENT.get();
  private final List<Entry> entries = new ArrayList<>();

  private OperationTrace() {}

  /**
   * One operation with its arguments and results.
   *
   * @param operation the name in the catalogue
   * @param attributes the attributes as they were given
   * @param inputs the tensors that it read
   * @param output the first output
   * @param more the further outputs by name
   */
  public record Entry(
      String operation,
      Attributes attributes,
      List<Tensor> inputs,
      Tensor output,
      Map<String, Tensor> more) {
    /** Copies list and map. */
    public Entry {
      inputs = List.copyOf(inputs);
      more = Map.copyOf(more);
    }
  }

  /** Begins a trace of this thread. */
  public static OperationTrace begin() {
    OperationTrace trace = new OperationTrace();
    CURRENT.set(trace);
    return trace;
  }

  static void add(String operation, Attributes attributes, Variable[] inputs, Outputs outputs) {
    OperationTrace trace = CURRENT.get();
    if (trace != null) {
      List<Tensor> tensors = new ArrayList<>(inputs.length);
      for (Variable input : inputs) {
        tensors.add(input.value());
      }
      Tensor output = outputs.output().value();
      trace.entries.add(new Entry(operation, attributes, tensors, output, outputs.more()));
    }
  }

  /** Returns the operations so far. */
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Ends the trace; closing twice does nothing. */
  @Override
  public void close() {
    if (CURRENT.get() == this) {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    }
  }
}
