package io.hazelgrad.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.rref.RRefOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

final class SettingOptionsTest {
  @Command
  private static final class Probe {
    @Mixin private final SettingOptions settings = new SettingOptions();
  }

  @Test
  void settingsOfTheCommandLineReachTheConfiguration() {
    HazelgradConfig config =
        with(
            "--set=callTimeout=5",
            "--set=maxRunning=3",
            "--set=maxQueued=4",
            "--set=maxWaiting=6",
            "--set=maxRequestBytes=7000",
            "--set=quorum=false",
            "--set=maxObjects=8",
            "--set=maxBytes=9000",
            "--set=maxDurableBytes=1000",
            "--set=durableBackups=2",
            "--set=handOverWait=30");
    assertThat(config.callTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.maxRunning()).isEqualTo(3);
    assertThat(config.maxQueued()).isEqualTo(4);
    assertThat(config.maxWaiting()).isEqualTo(6);
    assertThat(config.maxRequestBytes()).isEqualTo(7000);
    assertThat(config.quorum()).isFalse();
    assertThat(config.options(RRefOptions.defaults()))
        .isEqualTo(
            RRefOptions.defaults()
                .withMaxObjects(8)
                .withMaxBytes(9000)
                .withMaxDurableBytes(1000)
                .withDurableBackups(2)
                .withHandOverWait(Duration.ofSeconds(30)));
  }

  @Test
  void defaultsStayWithoutSettings() {
    HazelgradConfig usual = HazelgradConfig.named("w").build();
    assertThat(with().maxRunning()).isEqualTo(usual.maxRunning());
    assertThat(with().options(RRefOptions.defaults())).isEqualTo(RRefOptions.defaults());
  }

  private static HazelgradConfig with(String... arguments) {
    Probe probe = new Probe();
    new CommandLine(probe).parseArgs(arguments);
    HazelgradConfig.Builder builder = HazelgradConfig.named("w");
    probe.settings.addTo(builder);
    return builder.build();
  }
}
