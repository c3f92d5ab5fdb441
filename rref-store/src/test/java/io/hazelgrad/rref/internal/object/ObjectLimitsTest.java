package io.hazelgrad.rref.internal.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRefOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectLimitsTest {
  private static ObjectLimits limits(RRefOptions options) {
    return new ObjectLimits("w1", options);
  }

  private static GridException refusal(Runnable take) {
    GridException refused = catchThrowableOfType(GridException.class, take::run);
    assertThat(refused.status()).isEqualTo(Status.REJECTED);
    assertThat(refused).hasMessageContainingAll("w1", "RRefOptions", "close RRefs");
    return refused;
  }

  @Test
  void objectIsRefusedAboveLimitUntilOneIsReleased() {
    ObjectLimits limits = limits(RRefOptions.defaults().withMaxObjects(2));
    limits.takeObject();
    limits.takeObject();
    GridException refused = refusal(limits::takeObject);
    assertThat(refused).hasMessageContaining("owns 2 objects");
    assertThat(refused.mayHaveRun()).isFalse();
    assertThat(limits.objects()).isEqualTo(2);
    limits.giveObject();
    limits.takeObject();
    assertThat(limits.objects()).isEqualTo(2);
  }

  @Test
  void bytesAreRefusedAndNotCountedWhenTheyDoNotFit() {
    ObjectLimits limits = limits(RRefOptions.defaults().withMaxBytes(100));
    limits.takeBytes(60);
    GridException refused = refusal(() -> limits.takeBytes(41));
    assertThat(refused).hasMessageContainingAll("41 bytes", "60", "maxBytes is 100");
    assertThat(refused.mayHaveRun()).isTrue();
    limits.takeBytes(40);
    assertThat(limits.bytes()).isEqualTo(100);
  }

  @Test
  void creationIsRefusedWhenBytesAreUsedUp() {
    ObjectLimits limits = limits(RRefOptions.defaults().withMaxBytes(100));
    limits.takeBytes(100);
    assertThat(refusal(limits::takeObject)).hasMessageContaining("owns objects of 100 bytes");
    assertThat(limits.objects()).isZero();
    limits.giveBytes(1);
    limits.takeObject();
  }

  @Test
  void limitsBelowOneAreRefused() {
    GridException refused =
        catchThrowableOfType(GridException.class, () -> RRefOptions.defaults().withMaxObjects(0));
    assertThat(refused.status()).isEqualTo(Status.BAD_CONFIG);
    assertThat(refused).hasMessageContaining("maxObjects 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT-0.001S", "PT24H1S"})
  void handOverWaitIsRefusedOutsideOfItsRange(String wait) {
    GridException refused =
        catchThrowableOfType(
            GridException.class,
            () -> RRefOptions.defaults().withHandOverWait(Duration.parse(wait)));
    assertThat(refused.status()).isEqualTo(Status.BAD_CONFIG);
    assertThat(refused).hasMessageContaining("between 0 and one day: " + wait);
  }
}
