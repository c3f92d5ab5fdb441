package io.hazelgrad.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefs;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The beans of an application with the starter, and when there are none. */
@RemoteFunctions
class HazelgradAutoConfigurationTest {

  @Test
  void workerIsOnTheMemberOfTheApplication() {
    TestMember.first("shop")
        .withPropertyValues("hazelgrad.roles=seller,buyer", "hazelgrad.max-running=3")
        .run(
            context -> {
              Grid grid = context.getBean(Grid.class);
              assertThat(grid.hazelcast()).isSameAs(context.getBean(HazelcastInstance.class));
              assertThat(grid.worker().name()).isEqualTo("shop");
              assertThat(
                      grid.rpc()
                          .<String, Boolean>sync(
                              "shop", HazelgradAutoConfigurationTest::isShop, "shop"))
                  .isTrue();
              assertThat(context.getBean(RRefs.class)).isSameAs(RRefs.on(grid));
              HazelgradConfig config = context.getBean(HazelgradConfig.class);
              assertThat(config.roles()).containsExactly("buyer", "seller");
              assertThat(config.maxRunning()).isEqualTo(3);
            });
  }

  static boolean isShop(String name) {
    return Grid.current().worker().name().equals(name);
  }

  @Test
  void memberComesFromTheFileThatSpringReads() {
    TestMember.withoutMember()
        .withPropertyValues(
            "spring.hazelcast.config=classpath:grid-of-a-file.yaml", "hazelgrad.name=w1")
        .withBean(
            HazelgradConfigCustomizer.class, () -> builder -> builder.maxQueued(7).roles("file"))
        .run(
            context -> {
              Grid grid = context.getBean(Grid.class);
              assertThat(grid.workers()).extracting(Worker::name).containsExactly("w1");
              assertThat(grid.hazelcast().getConfig().getClusterName()).isEqualTo("grid-of-a-file");
              assertThat(context.getBean(HazelgradConfig.class).maxQueued()).isEqualTo(7);
            });
  }

  @Test
  void starterBacksOffIfTheApplicationHasItsOwnGrid() {
    Grid own =
        (Grid)
            Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Grid.class}, (p, m, args) -> null);
    TestMember.withoutMember()
        .withBean("ownGrid", Grid.class, () -> own)
        .withBean("ownRRefs", RRefs.class, () -> null)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Grid.class)
                    .doesNotHaveBean(HazelcastInstance.class)
                    .doesNotHaveBean(RemoteBeans.class)
                    .doesNotHaveBean(GridLifecycle.class));
  }

  @Test
  void nothingStartsIfItIsDisabled() {
    TestMember.withoutMember()
        .withPropertyValues("hazelgrad.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(Grid.class)
                    .doesNotHaveBean(HazelcastInstance.class));
  }

  @Test
  void actuatorHasHealthAndFiguresOfTheWorker() {
    ApplicationContextRunner runner =
        TestMember.first("seen")
            .withBean(SimpleMeterRegistry.class)
            .withConfiguration(
                AutoConfigurations.of(
                    MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));
    runner.run(
        context -> {
          Health health = context.getBean("gridHealthIndicator", HealthIndicator.class).health();
          assertThat(health.getStatus()).isEqualTo(Status.UP);
          assertThat(health.getDetails()).containsEntry("worker", "seen").containsKey("quorum");
          var registry = context.getBean(MeterRegistry.class);
          assertThat(registry.get("hazelgrad.quorum.voters").gauge().value()).isEqualTo(1);
          assertThat(registry.get("hazelgrad.agent.server_active_calls").gauge().value()).isZero();
          assertThat(registry.find("hazelgrad.rref.num_forks").gauge()).isNotNull();
          context.getBean(Grid.class).close();
          assertThat(context.getBean(HealthIndicator.class).health().getStatus())
              .isEqualTo(Status.OUT_OF_SERVICE);
          assertThat(registry.find("hazelgrad.quorum.voters").gauge()).isNull();
        });
  }

  @Test
  void defaultsOfThePropertiesAreThoseOfTheGrid() {
    HazelgradConfig expected = HazelgradConfig.named("w1").build();
    new ApplicationContextRunner()
        .withUserConfiguration(PropertiesOnly.class)
        .run(
            context -> {
              HazelgradConfig found =
                  context.getBean(HazelgradProperties.class).builder("w1").build();
              assertThat(found)
                  .usingRecursiveComparison()
                  .ignoringFieldsOfTypes(Class.class)
                  .isEqualTo(expected);
              assertThat(context.getBean(HazelgradProperties.class).drain())
                  .isEqualTo(Duration.ofSeconds(10));
            });
  }

  @EnableConfigurationProperties(HazelgradProperties.class)
  static class PropertiesOnly {}
}
