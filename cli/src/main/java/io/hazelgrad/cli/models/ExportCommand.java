package io.hazelgrad.cli.models;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.files.Npy;
import io.hazelgrad.autograd.files.Npz;
import io.hazelgrad.autograd.files.SafeTensors;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.onnx.OnnxExport;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The subcommand {@code export}: shows files of tensors and models, and writes other formats. */
@Command(
    name = "export",
    description = {
      "Show what a file of tensors or an ONNX model has, or write it in another format. The names end"
          + " in .safetensors, .npz, .npy or .onnx.",
      "An ONNX model is written from a module of yours with the tensors of SOURCE as its state:"
          + " --module names the method that makes it, in HAZELGRAD_CLASSPATH."
    },
    mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
  private static final String ONNX = ".onnx";

  @Parameters(index = "0", paramLabel = "SOURCE", description = "The file to read.")
  private Path source;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TARGET",
      description = "The file to write, replacing an existing one.")
  private @Nullable Path target;

  @Option(
      names = "--module",
      paramLabel = "CLASS::METHOD",
      description = "A public static method without parameters that returns the module.")
  private @Nullable String module;

  @Option(
      names = "--shape",
      split = ",",
      paramLabel = "N",
      description = "The extents of an input of the module; the first one is the batch.")
  private @Nullable List<Long> shape;

  @Option(
      names = "--dtype",
      defaultValue = "FLOAT32",
      paramLabel = "TYPE",
      description = "The element type of the input (default: ${DEFAULT-VALUE}).")
  private DType dtype;

  @Spec private CommandSpec spec;

  /** For picocli. */
  public ExportCommand() {}

  @Override
  public Integer call() {
    try {
      if (target == null) {
        show();
      } else if (suffix(target).equals(ONNX)) {
        model().write(target);
      } else {
        write(target, tensors());
      }
      return Main.OK;
    } catch (IOException | GridException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String suffix(Path file) {
    String name = file.getFileName().toString();
    return name.substring(Math.max(0, name.lastIndexOf('.')));
  }

  private ParameterException unknown(Path file) {
    return new ParameterException(
        spec.commandLine(),
        "the name of " + file + " must end in .safetensors, .npz, .npy or .onnx");
  }

  private Map<String, Tensor> tensors() throws IOException {
    return switch (suffix(source)) {
      case ".safetensors" -> SafeTensors.read(source).tensors();
      case ".npz" -> Npz.read(source);
      case ".npy" -> Map.of("array", Npy.read(source));
      case ONNX -> {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        OnnxModel.read(source)
            .parameters()
            .forEach((name, parameter) -> tensors.put(name, parameter.value()));
        yield tensors;
      }
      default -> throw unknown(source);
    };
  }

  private void write(Path file, Map<String, Tensor> tensors) throws IOException {
    switch (suffix(file)) {
      case ".safetensors" -> SafeTensors.of(tensors).write(file);
      case ".npz" -> Npz.write(file, tensors);
      case ".npy" -> {
        if (tensors.size() != 1) {
          throw new BadInputException(
              "a file .npy has one array, but there are " + tensors.size() + "; write .npz");
        }
        Npy.write(file, tensors.values().iterator().next());
      }
      default -> throw unknown(file);
    }
  }

  private void show() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (suffix(source).equals(ONNX)) {
      OnnxModel model = OnnxModel.read(source);
      model.inputs().forEach(input -> out.println("input  " + input));
      model.outputs().forEach(output -> out.println("output " + output));
    }
    tensors()
        .forEach(
            (name, tensor) ->
                out.println(
                    "tensor "
                        + name
                        + " "
                        + tensor.dtype()
                        + " "
                        + Arrays.toString(tensor.shape())));
    out.flush();
  }

  private OnnxModel model() throws IOException {
    String method = module;
    List<Long> extents = shape;
    if (method == null || extents == null) {
      throw new ParameterException(
          spec.commandLine(),
          "an ONNX model is written from a module: --module and --shape are missing");
    }
    Module<Variable, Variable> made = made(method);
    made.load(tensors());
    made.eval();
    long[] example = extents.stream().mapToLong(extent -> extent).toArray();
    try {
      return OnnxExport.of(made, Tensor.zeros(dtype, example)).toModel();
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--shape " + extents + ": " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("unchecked") // The export fails if the module takes something else.
  private static Module<Variable, Variable> made(String method) {
    String[] parts = method.split("::", -1);
    try {
      Object made =
          parts.length == 2 ? Class.forName(parts[0]).getMethod(parts[1]).invoke(null) : null;
      if (made instanceof Module<?, ?>) {
        return (Module<Variable, Variable>) made;
      }
      throw new BadInputException(
          "--module " + method + " must be CLASS::METHOD of a method that returns a Module");
    } catch (InvocationTargetException e) {
      throw new BadInputException("--module " + method + " failed: " + e.getCause(), e);
    } catch (ReflectiveOperationException | LinkageError | NullPointerException e) {
      throw new BadInputException(
          "--module "
              + method
              + " is no public static method without parameters in HAZELGRAD_CLASSPATH: "
              + e,
          e);
    }
  }
}
