package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

class TensorTest {
  static Stream<Tensor> everyKindAndShape() {
    List<Tensor> tensors = new ArrayList<>();
    for (DType dtype : DType.values()) {
      for (long[] shape : new long[][] {{}, {0}, {1}, {5}, {2, 3}, {3, 0, 2}, {2, 1, 3, 2}}) {
        double[] values = new double[(int) Tensor.sizeOf(shape)];
        for (int i = 0; i < values.length; i++) {
          values[i] = dtype.isFloating() ? i * 0.5 - 1 : i;
        }
        tensors.add(Tensor.of(values, shape).to(dtype));
      }
    }
    return tensors.stream();
  }

  @ParameterizedTest
  @MethodSource("everyKindAndShape")
  void tensorSurvivesWire(Tensor tensor) {
    byte[] bytes = new WireOutput().tensor(tensor).toBytes();
    WireInput in = new WireInput(bytes);
    assertThat(in.tensor()).isEqualTo(tensor).hasSameHashCodeAs(tensor);
    in.end();
    int header = 2 + tensor.rank(); // type, rank, and extents below 128
    assertThat(bytes).hasSize(header + tensor.size() * tensor.dtype().bytes());
  }

  @ParameterizedTest
  @MethodSource("everyKindAndShape")
  void tensorSurvivesNd4j(Tensor tensor) {
    INDArray array = tensor.toArray();
    assertThat(array.shape()).isEqualTo(tensor.shape());
    assertThat(Tensor.of(array)).isEqualTo(tensor);
  }

  @Test
  void viewsAndOrdersOfNd4jAreReadRowByRow() {
    INDArray all = Nd4j.arange(24).castTo(DataType.FLOAT).reshape(4, 6);
    double[] middle = {8, 10, 14, 16};
    assertThat(
            Tensor.of(all.get(NDArrayIndex.interval(1, 3), NDArrayIndex.interval(2, 2, 6)))
                .toDoubles())
        .containsExactly(middle);
    assertThat(Tensor.of(all.getRow(2)).toDoubles()).containsExactly(12, 13, 14, 15, 16, 17);
    assertThat(Tensor.of(all.getColumn(1)).toDoubles()).containsExactly(1, 7, 13, 19);
    assertThat(Tensor.of(all.transpose()).to(DType.INT32))
        .isEqualTo(Tensor.of(all.dup('f').transpose().dup('c')).to(DType.INT32));
    assertThat(Tensor.of(all.dup('f'))).isEqualTo(Tensor.of(all));
    INDArray cube = all.reshape(2, 3, 4);
    Tensor permuted = Tensor.of(cube.permute(2, 0, 1));
    assertThat(permuted.shape()).containsExactly(4, 2, 3);
    assertThat(permuted.storage().getDouble(1)).isEqualTo(cube.getDouble(0, 1, 0));
    assertThat(Tensor.of(Nd4j.scalar(3.5)).item()).isEqualTo(3.5);
  }

  @Test
  void arraysOfTensorsOwnTheirMemory() {
    Tensor tensor = Tensor.full(DType.FLOAT64, 3, 100_000);
    List<INDArray> arrays = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      arrays.add(tensor.toArray());
      Nd4j.create(DataType.DOUBLE, 100_000).close();
    }
    System.gc(); // Would free the memory, if a pointer thought that it owned it.
    arrays.forEach(array -> assertThat(array.sumNumber().doubleValue()).isEqualTo(300_000));
    arrays.get(0).assign(7);
    assertThat(tensor.storage().getDouble(0)).isEqualTo(3);
  }

  @Test
  void arrayIsCopiedAtCreation() {
    double[] data = {1, 2, 3};
    Tensor tensor = Tensor.of(data, 3);
    data[0] = 9;
    long[] shape = tensor.shape();
    shape[0] = 9;
    assertThat(tensor.toDoubles()).containsExactly(1, 2, 3);
    assertThat(tensor.shape(-1)).isEqualTo(3);
  }

  @Test
  void scalarHasNoDimensionsAndOneElement() {
    assertThat(Tensor.scalar(2).rank()).isZero();
    assertThat(Tensor.scalar(2).item()).isEqualTo(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.zeros(DType.INT8, 2).item())
        .withMessageContaining("shape=[2]");
  }

  @Test
  void shapeIsRefusedWithNumbersWhenWrong() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.of(new double[5], 2, 3))
        .withMessage("shape=[2, 3] needs 6 elements, got 5");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.zeros(DType.FLOAT32, 2, -1))
        .withMessageContaining("negative extent");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.zeros(DType.FLOAT32, Long.MAX_VALUE, 2))
        .withMessageContaining("too large");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.zeros(DType.FLOAT32, 1L << 31))
        .withMessageContaining("at most");
    assertThatIllegalArgumentException().isThrownBy(() -> Tensor.sizeOf(new long[33]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tensor.scalar(1).shape(0))
        .withMessageContaining("dimension=0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorBytes.wrap(DType.FLOAT64, new float[1], 1))
        .withMessageContaining("double[]");
  }

  @Test
  void integersConvertWithoutDouble() {
    long large = (1L << 53) + 1;
    Tensor tensor = Tensor.of(new long[] {large, -1, 300}, 3);
    assertThat(tensor.to(DType.INT32).toLongs()).containsExactly(1, -1, 300);
    assertThat(tensor.to(DType.UINT8).toLongs()).containsExactly(1, 255, 44);
    assertThat(tensor.to(DType.INT8).toLongs()).containsExactly(1, -1, 44);
    assertThat(tensor.to(DType.BOOL).toLongs()).containsExactly(1, 1, 1);
    assertThat(tensor.to(DType.INT64)).isSameAs(tensor);
    assertThat(tensor.toFloats()).containsExactly((float) large, -1, 300);
    assertThat(Tensor.of(new double[] {2.9, -2.9}, 2).toLongs()).containsExactly(2, -2);
  }

  @Test
  void equalityComparesTypeShapeAndElements() {
    Tensor tensor = Tensor.of(new float[] {1, Float.NaN}, 2);
    assertThat(tensor).isEqualTo(Tensor.of(new float[] {1, Float.NaN}, 2));
    assertThat(tensor).isNotEqualTo(tensor.reshape(1, 2)).isNotEqualTo(tensor.to(DType.FLOAT64));
    assertThat(tensor.to(DType.FLOAT16)).isNotEqualTo(tensor.to(DType.BFLOAT16));
    assertThat(tensor).hasToString("Tensor(FLOAT32 [2]: 1.0, NaN)");
    assertThat(Tensor.zeros(DType.INT8, 9)).asString().endsWith("0, ...)");
  }

  @ParameterizedTest
  @EnumSource
  void typesHaveNumbers(DType dtype) {
    assertThat(DType.ofCode(dtype.code())).isEqualTo(dtype);
    assertThat(Tensor.zeros(dtype, 2, 2).storage().getDouble(3)).isZero();
    assertThat(Tensor.full(dtype, 1, 2).storage().getLong(1)).isEqualTo(1);
  }

  @Test
  void typeIsUnknownForUnknownNumber() {
    assertThat(DType.ofCode(0)).isNull();
    assertThat(DType.ofCode(-1)).isNull();
  }

  @Test
  void devicesAreCpuOrNumberedGpus() {
    assertThat(Device.parse("cpu")).isEqualTo(Device.CPU).hasToString("cpu");
    assertThat(Device.parse("gpu:3")).hasToString("gpu:3");
    for (String wrong : new String[] {"", "gpu", "gpu:", "gpu:-1", "cpu:0", "GPU:0", "gpu:1000"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Device.parse(wrong))
          .withMessageContaining("\"" + wrong + "\"");
    }
  }
}
