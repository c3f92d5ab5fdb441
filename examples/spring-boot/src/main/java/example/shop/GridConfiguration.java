package example.shop;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.group.Shutdown;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the Hazelcast member that Spring Boot starts a worker. */
@Configuration
class GridConfiguration {

  /** Spring Boot starts the member with this. It must be prepared before that. */
  @Bean
  Config hazelcastConfig(
      @Value("${grid.name}") String name,
      @Value("${grid.port}") int port,
      @Value("${grid.members}") List<String> members) {
    Config config = new Config().setClusterName("shop");
    // Classes are those of the application's jar.
    config.setClassLoader(getClass().getClassLoader());
    // Spring shuts the member down, after the beans that need it; once is enough.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(members);
    return HazelgradConfig.named(name).build().prepare(config);
  }

  /** The grid on Spring Boot's own member. It closes before the member, since it needs it. */
  @Bean(destroyMethod = "") // The next bean closes it, in good order.
  Grid grid(HazelcastInstance hazelcast) {
    return Grid.on(hazelcast);
  }

  /** Lets calls of others end before the grid closes. */
  @Bean
  DisposableBean leaving(Grid grid) {
    return () -> Shutdown.of(grid).alone(Duration.ofSeconds(10));
  }
}
