package io.hazelgrad.grid;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;

/** Tests in which {@code alice} calls {@code bob}, and no call is left after any of them. */
public abstract class OnTwoWorkers {
  private static TestGrids grids;
  public static Grid alice;
  public static Grid bob;
  public static Rpc rpc;

  /** Starts both; the tests say how, before all of them. */
  public static void join(HazelgradConfig.Builder asAlice, HazelgradConfig.Builder asBob) {
    grids = new TestGrids();
    alice = grids.join(asAlice);
    bob = grids.join(asBob);
    rpc = alice.rpc().within(Duration.ofSeconds(30));
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @AfterEach
  void noCallIsLeft() {
    Eventually.until(
        "no call is left",
        () ->
            alice.outstandingCalls() + bob.outstandingCalls() == 0
                && alice.activeCalls() + bob.activeCalls() == 0);
  }
}
