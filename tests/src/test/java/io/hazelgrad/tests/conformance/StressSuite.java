package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests with many calls at once. */
@RemoteFunctions
class StressSuite extends PeerSuite {
  @Test
  @PeerTest("test_stress_light_rpc")
  void thousandSmallCallsReturn() {
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(rpc().async(dst(), StressSuite::light));
    }
    calls.forEach(call -> assertThat(call.join()).isZero());
  }

  static int light() {
    return 0;
  }

  @Test
  @PeerTest("test_stress_heavy_rpc")
  void twentyHeavyCallsReturn() {
    Tensor tensor = CallSuite.full(1, 100, 100);
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(rpc().async(dst(), StressSuite::heavy, tensor));
    }
    calls.forEach(call -> assertThat(call.join()).isEqualTo(heavy(tensor)));
  }

  static Tensor heavy(Tensor tensor) {
    float[] elements = tensor.toFloats();
    for (int i = 1; i < 100; i++) {
      for (int j = 0; j < elements.length; j++) {
        elements[j] = elements[j] * i / (i + 1);
      }
    }
    return Tensor.wrap(elements, tensor.shape());
  }

  /** Not a test of the peer. The check after the test finds whatever the calls leave. */
  @Test
  void hundredThousandSmallCallsLeaveNothing() {
    List<CompletableFuture<Integer>> flying = new ArrayList<>();
    for (int i = 0; i < 25_000; i++) {
      flying.add(rpc().async(dst(), StressSuite::light));
      if (flying.size() == 256) {
        flying.forEach(CompletableFuture::join);
        flying.clear();
      }
    }
    flying.forEach(CompletableFuture::join);
  }
}
