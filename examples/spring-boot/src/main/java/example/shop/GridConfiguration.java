package example.shop;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The network of the Hazelcast member; an application may have hazelcast.yaml in its place. */
@Configuration
class GridConfiguration {

  @Bean
  Config hazelcastConfig(
      @Value("${shop.port}") int port, @Value("${shop.members}") List<String> members) {
    Config config = new Config().setClusterName("shop");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(members);
    return config;
  }
}
