package io.hazelgrad.tests.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The check of the soak finds growth, and only growth. */
class TrendTest {
  private static Trend trend(double perSecond, double noise) {
    Trend trend = new Trend();
    for (int second = 0; second <= 600; second += 10) {
      double wave = noise * Math.sin(second);
      trend.add(second, Map.of("threads", Math.round(100 + perSecond * second + wave)));
    }
    return trend;
  }

  @Test
  void growthIsFoundUnderNoise() {
    assertThat(trend(0.05, 8).growing(100, 600)).singleElement().asString().contains("threads");
  }

  @Test
  void noiseIsNoGrowth() {
    assertThat(trend(0, 8).growing(100, 600)).isEmpty();
  }

  @Test
  void declineIsNoGrowth() {
    assertThat(trend(-0.05, 8).growing(100, 600)).isEmpty();
  }

  @Test
  void growthBeforeTheTimeLookedAtDoesNotCount() {
    Trend trend = new Trend();
    for (int second = 0; second <= 600; second += 10) {
      trend.add(second, Map.of("threads", (long) Math.min(100, second)));
    }
    assertThat(trend.growing(200, 600)).isEmpty();
  }
}
