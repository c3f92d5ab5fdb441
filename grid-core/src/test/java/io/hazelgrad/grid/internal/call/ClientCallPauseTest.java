package io.hazelgrad.grid.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pauses between the attempts of a call whose callee has no room. */
class ClientCallPauseTest {
  private static final double ALMOST_ONE = Math.nextDown(1.0);

  private static long microseconds(int refusals, double random) {
    return TimeUnit.NANOSECONDS.toMicros(ClientCall.pauseNanos(refusals, random));
  }

  @Test
  void pauseDoublesUpToTwoSeconds() {
    assertThat(microseconds(0, 1)).isEqualTo(1_000);
    assertThat(microseconds(1, 1)).isEqualTo(2_000);
    assertThat(microseconds(10, 1)).isEqualTo(1_024_000);
    assertThat(microseconds(11, 1)).isEqualTo(2_000_000);
    assertThat(microseconds(Integer.MAX_VALUE, 1)).isEqualTo(2_000_000);
  }

  @Test
  void randomNumberShortensPauseByAtMostHalf() {
    for (int refusals = 0; refusals < 100; refusals++) {
      long whole = ClientCall.pauseNanos(refusals, 1);
      assertThat(ClientCall.pauseNanos(refusals, 0)).isEqualTo(whole / 2);
      assertThat(ClientCall.pauseNanos(refusals, 0.5)).isEqualTo(whole * 3 / 4);
      assertThat(ClientCall.pauseNanos(refusals, ALMOST_ONE)).isBetween(whole - 1, whole);
    }
  }
}
