package io.hazelgrad.autograd.internal.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.PassInfo.WaveTime;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A member's measurements of passes, and the way in which they travel. */
class PassMeterTest {
  private static final long INITIATOR = 7;

  /** The beginning of 1970 by the clock of the waves. */
  private static final long EPOCH = 1_000;

  private static final GradientMessage THREE_FLOATS =
      new GradientMessage(new MessageId(7, 1), List.of(Tensor.of(new float[3], 3)));

  private final PassMeter meter = new PassMeter(true);

  private static PassId pass(long number, int attempt) {
    return new PassId(INITIATOR, number, attempt);
  }

  private List<PassMeasurement> measurements(long... numbers) {
    return PassMeasurement.read(meter.measurements(INITIATOR, numbers, EPOCH), "w");
  }

  @Test
  void bytesAndWavesOfPassAreKept() {
    meter.begin(pass(1, 0));
    meter.took(pass(1, 0), THREE_FLOATS);
    meter.computed(pass(1, 0), 1, EPOCH + 5_000, EPOCH + 6_500);
    meter.took(pass(1, 0), THREE_FLOATS);
    meter.computed(pass(1, 0), 3, EPOCH + 9_000, EPOCH + 9_250);
    meter.begin(pass(3, 0));
    assertThat(measurements(1, 2, 3))
        .containsExactly(
            new PassMeasurement(
                24L,
                List.of(
                    new WaveTime("w", 1, Instant.EPOCH.plusNanos(5_000), 0.0015),
                    new WaveTime("w", 3, Instant.EPOCH.plusNanos(9_000), 0.00025))),
            PassMeasurement.UNKNOWN,
            PassMeasurement.NONE);
  }

  @Test
  void laterAttemptReplacesEarlierOne() {
    meter.begin(pass(1, 0));
    meter.took(pass(1, 0), THREE_FLOATS);
    meter.begin(pass(1, 1));
    meter.took(pass(1, 0), THREE_FLOATS);
    meter.computed(pass(1, 0), 1, EPOCH, EPOCH);
    assertThat(measurements(1)).containsExactly(PassMeasurement.NONE);
  }

  @Test
  void onlyTheFirstWavesOfLongPassAreKept() {
    meter.begin(pass(1, 0));
    for (int wave = 0; wave < 100; wave++) {
      meter.computed(pass(1, 0), wave, EPOCH, EPOCH);
    }
    assertThat(measurements(1).get(0).waves())
        .hasSize(32)
        .last()
        .matches(wave -> wave.wave() == 31);
  }

  @Test
  void nothingIsMeasuredWhenOff() {
    PassMeter off = new PassMeter(false);
    off.begin(pass(1, 0));
    off.took(pass(1, 0), THREE_FLOATS);
    assertThat(off.measurements(INITIATOR, new long[] {1}, EPOCH)).containsExactly(-1, 0);
  }

  @Test
  void sumIsUnknownIfOneIs() {
    WaveTime wave = new WaveTime("w", 1, Instant.EPOCH, 1);
    PassMeasurement one = new PassMeasurement(3L, List.of(wave));
    assertThat(one.plus(one)).isEqualTo(new PassMeasurement(6L, List.of(wave, wave)));
    assertThat(one.plus(PassMeasurement.UNKNOWN))
        .isEqualTo(new PassMeasurement(null, List.of(wave)));
  }

  @Test
  void answerThatEndsInTheMiddleIsRefused() {
    meter.begin(pass(1, 0));
    meter.computed(pass(1, 0), 1, EPOCH, EPOCH);
    long[] whole = meter.measurements(INITIATOR, new long[] {1}, EPOCH);
    for (int length = 1; length < whole.length; length++) {
      long[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> PassMeasurement.read(part, "w"))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("w sent parts of passes that end in the middle");
    }
    assertThatThrownBy(() -> PassMeasurement.read(new long[] {0, Long.MAX_VALUE}, "w"))
        .isInstanceOf(GridException.class);
    assertThatThrownBy(() -> PassMeasurement.read(new long[] {0, -1}, "w"))
        .isInstanceOf(GridException.class);
  }
}
