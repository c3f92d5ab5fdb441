package io.hazelgrad.spring;

import io.hazelgrad.grid.Grid;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health of the worker to the actuator, as {@code grid}. */
@AutoConfiguration(after = HazelgradAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Grid.class)
@ConditionalOnEnabledHealthIndicator("grid")
public final class HazelgradHealthAutoConfiguration {
  /** Makes the auto-configuration; Spring calls this. */
  public HazelgradHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "gridHealthIndicator")
  HealthIndicator gridHealthIndicator(Grid grid) {
    return new GridHealthIndicator(grid);
  }
}
