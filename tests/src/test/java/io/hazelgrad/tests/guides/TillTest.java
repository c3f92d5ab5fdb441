package io.hazelgrad.tests.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.GridCluster;
import io.hazelgrad.testkit.GridTest;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@GridTest(workers = 2, cuttable = true)
class TillTest {
  private final GridCluster cluster;
  private final Rpc impatient;

  TillTest(GridCluster cluster) {
    this.cluster = cluster;
    this.impatient = cluster.grid().rpc().within(Duration.ofMillis(500));
  }

  @Test
  void tillKeepsItsSumForAllCallers() {
    try (RRef<Till> till = cluster.rrefs().remote("w1", Till::new)) {
      assertThat(till.sync(Till::add, 3)).isEqualTo(3);
      assertThat(till.sync(Till::add, 4)).isEqualTo(7);
    }
  }

  @Test
  void tillIsLostWhenItsWorkerIsKilled() {
    try (RRef<Till> till = cluster.rrefs().remote("w1", Till::new)) {
      till.creation().join();
      cluster.kill("w1");
      assertThat(status(() -> till.sync(Till::add, 1))).isEqualTo(Status.RREF_LOST);
    }
  }

  @Test
  void callTimesOutWhenItsWorkerIsFrozen() {
    cluster.freeze("w2");
    assertThat(status(() -> impatient.sync("w2", Till::where))).isEqualTo(Status.TIMEOUT);
    cluster.thaw("w2");
    assertThat(cluster.grid().rpc().sync("w2", Till::where)).isEqualTo("w2");
  }

  @Test
  void callTimesOutWhenTheNetworkIsCut() {
    cluster.cut("driver", "w2");
    assertThat(status(() -> impatient.sync("w2", Till::where))).isEqualTo(Status.TIMEOUT);
    cluster.heal();
    assertThat(cluster.grid().rpc().sync("w2", Till::where)).isEqualTo("w2");
  }

  @Test
  void callFailsWhenAFaultIsInjected() {
    cluster.faults().on("call.function").to("w1").first(1).fail();
    assertThat(status(() -> impatient.sync("w1", Till::where)))
        .isEqualTo(Status.INTENTIONAL_FAILURE);
    assertThat(cluster.grid().rpc().sync("w1", Till::where)).isEqualTo("w1");
  }

  private static Status status(ThrowingCallable call) {
    return catchThrowableOfType(GridException.class, call).status();
  }
}
