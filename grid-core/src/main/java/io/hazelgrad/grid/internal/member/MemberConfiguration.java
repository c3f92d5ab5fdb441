package io.hazelgrad.grid.internal.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SerializationConfig;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.hazelcast.GridSerializerFactory;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.runtime.NativeMemoryLimit;
import io.hazelgrad.grid.spi.GridExtension;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** What a Hazelcast configuration needs before its member can be a worker. */
public final class MemberConfiguration {
  public static final String USER_CONTEXT_KEY = "io.hazelgrad.config";
  static final String VERSION_ATTRIBUTE = "hazelgrad.version";
  static final String VERSION = "1";
  private static final String CLIENT_SILENCE_SECONDS = "30";

  /** The most that Hazelcast allows: these maps are tiny, and no id may ever be used again. */
  private static final int BACKUPS = 6;

  private MemberConfiguration() {}

  /** As {@link HazelgradConfig#prepare} says. */
  public static Config prepare(Config config, HazelgradConfig worker) {
    ConfigurationGuard.check(config);
    CommonPoolCheck.configure();
    NativeMemoryLimit.configure();
    if (config.getUserContext().put(USER_CONTEXT_KEY, worker) instanceof HazelgradConfig) {
      return config; // Prepared before, perhaps for another name; nothing can be added twice.
    }
    SerializationConfig serialization = config.getSerializationConfig();
    serialization.addDataSerializableFactory(
        GridSerializerFactory.FACTORY_ID, new GridSerializerFactory());
    serialization.getCompactSerializationConfig().addSerializer(new WorkerSerializer());
    serialization.setJavaSerializationFilterConfig(filter(serialization));
    setDefault(config, new MapConfig(Directory.WORKERS).setBackupCount(BACKUPS));
    setDefault(config, new MapConfig(Directory.IDS).setBackupCount(BACKUPS));
    setDefault(config, new MapConfig(ClientDirectory.CLIENTS).setBackupCount(BACKUPS));
    config.getJetConfig().setEnabled(true);
    config.getMemberAttributeConfig().setAttribute(VERSION_ATTRIBUTE, VERSION);
    config
        .getMemberAttributeConfig()
        .setAttribute(DeviceMaps.ATTRIBUTE, DeviceMaps.attribute(worker.devices()));
    config
        .getMemberAttributeConfig()
        .setAttribute(HazelgradConfig.ROLES_ATTRIBUTE, String.join(",", worker.roles()));
    setDefault(config, "hazelcast.operation.response.thread.count", "0");
    setDefault(config, "hazelcast.phone.home.enabled", "false");
    setDefault(config, "hazelcast.client.max.no.heartbeat.seconds", CLIENT_SILENCE_SECONDS);
    setDefault(config, "hazelcast.shutdownhook.policy", "GRACEFUL");
    for (GridExtension extension : extensions(config.getClassLoader())) {
      extension.prepare(config);
    }
    if (worker.quorum()) {
      QuorumService.prepare(config); // Last: it protects the maps that are there by now.
    }
    return config;
  }

  /** Returns whether a member can hold our data; a lite member holds none. */
  public static boolean isPrepared(Member member) {
    return member.isLiteMember() || member.getAttribute(VERSION_ATTRIBUTE) != null;
  }

  /** Not by getMapConfig(name): that returns, and so would change, an application's wildcard. */
  private static void setDefault(Config config, MapConfig map) {
    if (!config.getMapConfigs().containsKey(map.getName())) {
      // What the smaller side of a split wrote is not merged back.
      MergePolicyConfig discard =
          new MergePolicyConfig().setPolicy(DiscardMergePolicy.class.getName());
      config.addMapConfig(map.setMergePolicyConfig(discard));
    }
  }

  private static void setDefault(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }

  /** Java serialization stays on for Jet and Hazelcast themselves, for these packages only. */
  private static JavaSerializationFilterConfig filter(SerializationConfig serialization) {
    JavaSerializationFilterConfig filter = serialization.getJavaSerializationFilterConfig();
    if (filter == null) {
      filter = new JavaSerializationFilterConfig();
    }
    ConfigurationGuard.limit(filter);
    return filter;
  }

  /** Returns the extensions on the class path, in their order. */
  public static List<GridExtension> extensions(@Nullable ClassLoader loader) {
    List<GridExtension> found = new ArrayList<>();
    ServiceLoader.load(
            GridExtension.class,
            loader == null ? MemberConfiguration.class.getClassLoader() : loader)
        .forEach(found::add);
    found.sort(Comparator.comparingInt(GridExtension::order));
    return found;
  }
}
