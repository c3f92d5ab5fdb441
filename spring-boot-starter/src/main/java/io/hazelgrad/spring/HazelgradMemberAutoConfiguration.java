package io.hazelgrad.spring;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration;
import org.springframework.boot.hazelcast.autoconfigure.HazelcastConfigCustomizer;
import org.springframework.boot.hazelcast.autoconfigure.HazelcastConfigResourceCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Prepares the Hazelcast member of the application before Spring Boot starts it: the bean of type
 * {@link Config}, or the file that {@code spring.hazelcast.config} names. Without either, it makes
 * a member on loopback.
 */
@AutoConfiguration(before = HazelcastAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "hazelgrad.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(Grid.class)
@EnableConfigurationProperties(HazelgradProperties.class)
public final class HazelgradMemberAutoConfiguration {
  /** Makes the auto-configuration; Spring calls this. */
  public HazelgradMemberAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HazelgradConfig hazelgradConfig(
      HazelgradProperties properties,
      Environment environment,
      ObjectProvider<HazelgradConfigCustomizer> customizers) {
    HazelgradConfig.Builder builder =
        properties.builder(environment.getProperty("spring.application.name"));
    customizers.orderedStream().forEach(each -> each.customize(builder));
    return builder.build();
  }

  /** Prepares beans of type Config. It is static, so that it exists before them. */
  @Bean
  static BeanPostProcessor hazelgradConfigPreparation(ObjectProvider<HazelgradConfig> worker) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessBeforeInitialization(Object bean, String beanName) {
        return bean instanceof Config config ? prepare(worker.getObject(), config) : bean;
      }
    };
  }

  /** Prepares the configuration that Spring Boot reads from a file. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  HazelcastConfigCustomizer hazelgradFilePreparation(HazelgradConfig worker) {
    return config -> prepare(worker, config);
  }

  @Bean
  @Conditional(NoConfigurationFile.class)
  @ConditionalOnMissingBean({Config.class, ClientConfig.class, HazelcastInstance.class})
  Config hazelgradMemberConfig() {
    return new Config();
  }

  private static Config prepare(HazelgradConfig worker, Config config) {
    // Spring shuts the member down after the beans that need it; a hook would do so at once.
    setIfMissing(config, "hazelcast.shutdownhook.enabled", "false");
    setIfMissing(config, "hazelcast.logging.type", "slf4j");
    if (config.getClassLoader() == null) {
      config.setClassLoader(ClassUtils.getDefaultClassLoader());
    }
    return worker.prepare(config);
  }

  private static void setIfMissing(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }

  /** Holds if neither a property nor a file of a usual name configures a member or a client. */
  static final class NoConfigurationFile extends NoneNestedConditions {
    NoConfigurationFile() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @Conditional(MemberFile.class)
    static final class Member {}

    @Conditional(ClientFile.class)
    static final class Client {}
  }

  /** Spring Boot's own condition for a member's file; it is not public. */
  static final class MemberFile extends HazelcastConfigResourceCondition {
    MemberFile() {
      super(
          "hazelcast.config",
          "file:./hazelcast.xml",
          "classpath:/hazelcast.xml",
          "file:./hazelcast.yaml",
          "classpath:/hazelcast.yaml",
          "file:./hazelcast.yml",
          "classpath:/hazelcast.yml");
    }
  }

  /** Spring Boot's own condition for a client's file; it is not public. */
  static final class ClientFile extends HazelcastConfigResourceCondition {
    ClientFile() {
      super(
          "hazelcast.client.config",
          "file:./hazelcast-client.xml",
          "classpath:/hazelcast-client.xml",
          "file:./hazelcast-client.yaml",
          "classpath:/hazelcast-client.yaml",
          "file:./hazelcast-client.yml",
          "classpath:/hazelcast-client.yml");
    }
  }
}
