package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.bytedeco.javacpp.FloatPointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.nativeblas.NativeOpsHolder;

/**
 * Convolution by ND4J's operations where they are those of oneDNN, which are many times faster than
 * products of laid out windows. In a build of ND4J without oneDNN they are slower than those.
 *
 * <p>{@link CpuConvolution} decides when this class is used, because it loads ND4J.
 */
final class NativeConvolution {
  private static final FloatKernels KERNELS = new FloatKernels();
  private static final int PADDING_AS_GIVEN = 0;
  private static final int CHANNELS_FIRST = 0;
  private static final int OUTPUTS_FIRST = 1;

  /** True if this build of ND4J has oneDNN. */
  static final boolean HAS_ONEDNN = hasOneDnn();

  private NativeConvolution() {}

  private static boolean hasOneDnn() {
    var unused = Nd4j.getExecutioner(); // Loads ND4J's native library, which answers then.
    return NativeOpsHolder.getInstance().getDeviceNativeOps().buildInfo().contains("HAVE_ONEDNN");
  }

  static Tensor convolve(Tensor a, Tensor weight, Filter filter) {
    long[] shape = {a.shape(0), weight.shape(0), filter.rows().count(), filter.columns().count()};
    return run("conv2d", filter, List.of(a, weight), List.of(shape)).get(0);
  }

  /** Returns the gradients of a and of the weight. */
  static List<Tensor> gradients(Tensor a, Tensor weight, Tensor gradOutput, Filter filter) {
    List<long[]> shapes = List.of(a.shape(), weight.shape());
    return run("conv2d_bp", filter, List.of(a, weight, gradOutput), shapes);
  }

  private static List<Tensor> run(
      String operation, Filter filter, List<Tensor> inputs, List<long[]> outputs) {
    INDArray[] in = new INDArray[inputs.size()];
    INDArray[] out = new INDArray[outputs.size()];
    try {
      for (int i = 0; i < in.length; i++) {
        in[i] = array(inputs.get(i).shape());
        data(in[i]).put(KERNELS.arrayOf(inputs.get(i)));
      }
      Arrays.setAll(out, i -> array(outputs.get(i)));
      Nd4j.exec(
          DynamicCustomOp.builder(operation)
              .addInputs(in)
              .addOutputs(out)
              .addIntegerArguments(arguments(filter))
              .build());
      List<Tensor> results = new ArrayList<>();
      for (INDArray each : out) {
        float[] values = new float[(int) each.length()];
        data(each).get(values);
        results.add(KERNELS.tensor(values, each.shape()));
      }
      return results;
    } finally {
      // At once: ND4J's own cleaning up waits for the garbage collector.
      Stream.of(in, out).flatMap(Stream::of).filter(Objects::nonNull).forEach(INDArray::close);
    }
  }

  private static int[] arguments(Filter filter) {
    Window rows = filter.rows();
    Window columns = filter.columns();
    return new int[] {
      (int) rows.kernel(),
      (int) columns.kernel(),
      (int) rows.stride(),
      (int) columns.stride(),
      (int) rows.padding(),
      (int) columns.padding(),
      (int) rows.dilation(),
      (int) columns.dilation(),
      PADDING_AS_GIVEN,
      CHANNELS_FIRST,
      OUTPUTS_FIRST
    };
  }

  private static INDArray array(long... shape) {
    return Nd4j.createUninitialized(DataType.FLOAT, shape, 'c');
  }

  private static FloatPointer data(INDArray array) {
    return new FloatPointer(array.data().addressPointer());
  }
}
