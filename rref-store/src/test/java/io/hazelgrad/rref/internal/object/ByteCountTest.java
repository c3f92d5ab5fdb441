package io.hazelgrad.rref.internal.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ByteCountTest {
  private record Layer(String name, Tensor weight, int rows, List<double[]> history) {}

  @Test
  void tensorsArraysAndStringsCount() {
    assertThat(ByteCount.of(null)).isZero();
    assertThat(ByteCount.of(7)).isZero();
    assertThat(ByteCount.of("abc")).isEqualTo(3);
    assertThat(ByteCount.of(new short[5])).isEqualTo(10);
    assertThat(ByteCount.of(new boolean[5])).isEqualTo(5);
    assertThat(ByteCount.of(Tensor.of(new double[6], 2, 3))).isEqualTo(48);
    assertThat(ByteCount.of(Tensor.zeros(DType.BFLOAT16, 3, 1))).isEqualTo(6);
  }

  @Test
  void contentsOfContainersCount() {
    Layer layer = new Layer("dense", Tensor.of(new float[4], 4), 4, List.of(new double[2]));
    assertThat(ByteCount.of(layer)).isEqualTo(5 + 16 + 16);
    assertThat(ByteCount.of(Map.of("k", new Object[] {layer, new int[] {1}})))
        .isEqualTo(1 + 37 + 4);
  }

  @Test
  void containerCountsOnceWhenItContainsItself() {
    List<Object> list = new ArrayList<>(List.of("ab"));
    list.add(list);
    assertThat(ByteCount.of(list)).isEqualTo(2);
  }

  @Test
  void longListsAreCutShort() {
    assertThat(ByteCount.of(Collections.nCopies(1_000_000_000, "x"))).isBetween(1000L, 10_000L);
  }

  @Test
  void listCountsReadElementsWhenItFails() {
    List<String> failing =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            if (index == 2) {
              throw new IllegalStateException("no more");
            }
            return "ab";
          }

          @Override
          public int size() {
            return 10;
          }
        };
    assertThat(ByteCount.of(Arrays.asList(new int[1], failing))).isEqualTo(4 + 4);
  }
}
