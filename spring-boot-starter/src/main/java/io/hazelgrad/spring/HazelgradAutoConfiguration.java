package io.hazelgrad.spring;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.rref.RRefs;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Makes the application's Hazelcast member a worker: the beans {@link Grid}, {@link RRefs} and
 * {@link RemoteBeans}. It backs off if the application has a {@link Grid} of its own.
 */
@AutoConfiguration(
    after = {HazelcastAutoConfiguration.class, HazelgradMemberAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "hazelgrad.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HazelgradProperties.class)
public final class HazelgradAutoConfiguration {
  /** Makes the auto-configuration; Spring calls this. */
  public HazelgradAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Grid.class)
  @ConditionalOnSingleCandidate(HazelcastInstance.class)
  static class GridConfiguration {
    @Bean
    RemoteBeans remoteBeans(ListableBeanFactory beans, ObjectProvider<Grid> grid) {
      return new RemoteBeans(beans, grid);
    }

    /** Spring destroys this bean before the member, since the grid needs the member. */
    @Bean(destroyMethod = "close")
    Grid grid(HazelcastInstance hazelcast, RemoteBeans beans) {
      beans.publish(hazelcast);
      return Grid.on(hazelcast);
    }

    @Bean
    GridLifecycle gridLifecycle(Grid grid, HazelgradProperties properties) {
      return new GridLifecycle(grid, properties.drain());
    }
  }

  @Bean
  @ConditionalOnBean(Grid.class)
  @ConditionalOnMissingBean
  RRefs rrefs(Grid grid) {
    return RRefs.on(grid);
  }
}
