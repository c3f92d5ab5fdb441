package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of a worker's figures. */
@RemoteFunctions
class MetricsSuite extends PeerSuite {
  /** Returns the called worker's figures. */
  static Map<String, Long> figures() {
    return Metrics.of(grid()).figures();
  }

  /** The prefixes of the names distinguish the three parts. */
  @Test
  @PeerTest("test_debug_info")
  void figuresCoverReferencesCallsAndAutograd() {
    assertThat(rpc().sync(dst(), MetricsSuite::figures))
        .containsKeys("rref.num_owner_rrefs", "rref.num_forks", "rref.num_pending_users")
        .containsKeys("agent.thread_pool_size", "agent.num_idle_threads")
        .containsKeys("agent.client_active_calls", "agent.server_active_calls")
        .containsKeys("autograd.num_current_backward_passes", "autograd.num_autograd_contexts");
    assertThat(driver().service(Metrics.class).figures())
        .containsKeys("agent.client_active_calls", "rref.num_forks", "rref.num_pending_users");
    try (RRef<Integer> rref = rrefs().remote(dst(), ScriptSuite::five)) {
      assertThat(rref.toHere()).isEqualTo(5);
      assertThat(rpc().sync(dst(), MetricsSuite::figures).get("rref.num_owner_rrefs")).isPositive();
    }
  }

  /** Returns how many functions have waited in the queue here, for any time. */
  static long turns() {
    return Metrics.of(grid()).snapshot().served().stream()
        .filter(served -> served.kind().equals("call.function"))
        .mapToLong(served -> served.queued().count())
        .sum();
  }

  /** Java has no interpreter lock. The wait in the queue is the closest measure. */
  @Test
  @PeerTest("test_disable_gil_profiling")
  void queueTimesCountEveryFunction() {
    long before = rpc().sync(dst(), MetricsSuite::turns);
    assertThat(rpc().sync(dst(), PeerSuite::self)).isEqualTo(dst());
    assertThat(rpc().sync(dst(), MetricsSuite::turns)).isGreaterThan(before + 1);
    assertThat(driver().service(Metrics.class).callsTo(dst()))
        .filteredOn(calls -> calls.kind().equals("call.function"))
        .singleElement()
        .satisfies(calls -> assertThat(calls.calls()).isGreaterThanOrEqualTo(3));
  }
}
