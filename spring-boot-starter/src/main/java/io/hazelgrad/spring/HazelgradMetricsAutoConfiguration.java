package io.hazelgrad.spring;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.metrics.GridMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the meters of the worker to the meter registries of the actuator. */
@AutoConfiguration(
    after = HazelgradAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure"
            + ".CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({Grid.class, MeterRegistry.class})
public final class HazelgradMetricsAutoConfiguration {
  /** Makes the auto-configuration; Spring calls this. */
  public HazelgradMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  GridMetrics gridMetrics(Grid grid) {
    return GridMetrics.of(grid);
  }
}
