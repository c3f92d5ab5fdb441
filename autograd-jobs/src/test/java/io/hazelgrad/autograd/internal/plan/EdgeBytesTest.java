package io.hazelgrad.autograd.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of the graph that a message carries do not grow with the graph. */
class EdgeBytesTest {
  /** Ids as large as they can be in a grid. */
  private static final long A = 0x5A3F_0001_0000_0001L;

  private static final long B = 0x5A3F_0002_0000_0007L;
  private static final long C = 0x5A3F_0003_0000_0009L;

  private final Forward forward = new Forward();

  private List<Integer> sizes() {
    return forward.carried.stream()
        .map(
            each -> {
              WireOutput out = new WireOutput();
              MessageDescriptor.writeAll(each, out);
              return out.size();
            })
        .toList();
  }

  private double mean() {
    return sizes().stream().mapToInt(Integer::intValue).average().orElse(0);
  }

  private int most() {
    return sizes().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  @ParameterizedTest
  @CsvSource({"10, 28", "100, 28", "1000, 30"})
  void bytesStaySmallForChainToOneWorker(int calls, int bytes) {
    MessageId last = forward.call(A, B);
    for (int i = 1; i < calls; i++) {
      last = forward.call(A, B, last);
    }
    assertThat(mean()).isLessThanOrEqualTo(bytes);
    assertThat(most()).isLessThanOrEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"10, 50", "100, 52", "1000, 56"})
  void bytesStaySmallForChainToTwoWorkersInTurn(int calls, int bytes) {
    MessageId last = forward.call(A, B);
    for (int i = 1; i < calls; i++) {
      last = forward.call(A, i % 2 == 0 ? B : C, last);
    }
    assertThat(mean()).isLessThanOrEqualTo(bytes);
    assertThat(most()).isLessThanOrEqualTo(2 * bytes);
  }

  /** A worker that comes late gets all that lies below at once, and later only what is new. */
  @Test
  void lateWorkerGetsWholeGraphOnce() {
    MessageId last = forward.call(A, B);
    for (int i = 1; i < 1_000; i++) {
      last = forward.call(A, B, last);
    }
    int before = forward.carried.size();
    forward.call(A, C, forward.call(A, C, last));
    List<Integer> late = sizes().subList(before, before + 4);
    System.out.println("to a worker that comes after 1,000 calls: " + late);
    assertThat(late.get(0)).isBetween(2_000 * 5, 2_000 * 10);
    assertThat(late.subList(1, 4)).allSatisfy(bytes -> assertThat(bytes).isLessThan(40));
  }
}
