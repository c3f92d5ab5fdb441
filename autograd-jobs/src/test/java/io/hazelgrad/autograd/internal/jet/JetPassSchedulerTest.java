package io.hazelgrad.autograd.internal.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import org.junit.jupiter.api.Test;

/** Tests of how a member is configured for passes by jobs. */
class JetPassSchedulerTest {
  private static final String LONGEST_SLEEP = "hazelcast.jet.idle.cooperative.max.microseconds";

  private static String longestSleep(Config config) {
    JetPassScheduler.prepare(config);
    return config.getProperty(LONGEST_SLEEP);
  }

  @Test
  void jetsThreadsSleepLessThanByDefault() {
    assertThat(longestSleep(new Config())).isEqualTo("50");
  }

  @Test
  void longestSleepThatTheApplicationSetsIsKept() {
    assertThat(longestSleep(new Config().setProperty(LONGEST_SLEEP, "500"))).isEqualTo("500");
  }
}
