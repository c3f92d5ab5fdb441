package io.hazelgrad.grid.internal.member;

import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.ManagementCenterConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SocketInterceptorConfig;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteError;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses Hazelcast configurations that are not safe for a grid: settings of the Enterprise
 * edition, which open-source Hazelcast ignores so that an application wrongly believes to be
 * protected, and settings by which every peer that connects runs code.
 */
public final class ConfigurationGuard {
  private static final String IGNORED = ", which open-source Hazelcast ignores: remove it";

  private ConfigurationGuard() {}

  /** Throws BAD_CONFIG with all settings that do nothing, or too much. */
  public static void check(Config config) {
    List<String> found = new ArrayList<>();
    addIgnored(config, found);
    addOpen(config, found);
    if (!found.isEmpty()) {
      throw new GridException(
          Status.BAD_CONFIG,
          "the Hazelcast configuration asks for what a grid must not have: "
              + String.join("; ", found));
    }
  }

  // The user code deployment that is deprecated is the one that is ignored.
  @SuppressWarnings("deprecation")
  private static void addIgnored(Config config, List<String> found) {
    if (!config.getSecurityConfig().isEnabled()
        && !config.getSecurityConfig().getClientPermissionConfigs().isEmpty()) {
      found.add("client permissions without security.enabled" + IGNORED + ", it protects nothing");
    }
    if (config.getLicenseKey() != null && !config.getLicenseKey().isBlank()) {
      found.add("a license key" + IGNORED);
    }
    if (config.getUserCodeDeploymentConfig().isEnabled()) {
      found.add("user code deployment" + IGNORED + ", and put the classes on the class path");
    }
    if (!config.getWanReplicationConfigs().isEmpty()) {
      found.add("WAN replication " + config.getWanReplicationConfigs().keySet() + IGNORED);
    }
    for (MapConfig map : config.getMapConfigs().values()) {
      if (map.getDataPersistenceConfig().isEnabled()) {
        found.add("data persistence of the map " + map.getName() + IGNORED);
      }
      if (map.getWanReplicationRef() != null) {
        found.add("WAN replication of the map " + map.getName() + IGNORED);
      }
    }
    addInterceptor("network", config.getNetworkConfig().getSocketInterceptorConfig(), found);
    for (EndpointConfig it : config.getAdvancedNetworkConfig().getEndpointConfigs().values()) {
      addInterceptor(
          "the endpoint " + it.getProtocolType(), it.getSocketInterceptorConfig(), found);
    }
  }

  private static void addInterceptor(
      String where, @Nullable SocketInterceptorConfig interceptor, List<String> found) {
    if (interceptor != null && interceptor.isEnabled()) {
      found.add("a socket interceptor at " + where + IGNORED + ", it protects nothing");
    }
  }

  private static void addOpen(Config config, List<String> found) {
    ManagementCenterConfig center = config.getManagementCenterConfig();
    if (center.isScriptingEnabled()) {
      found.add("Management Center's scripting, by which whoever connects runs code: disable it");
    }
    if (center.isConsoleEnabled()) {
      found.add("Management Center's console, by which whoever connects changes data: disable it");
    }
    if (config.getJetConfig().isResourceUploadEnabled()) {
      found.add("Jet's resource upload, by which whoever connects runs code: disable it");
    }
  }

  /**
   * Limits Java serialization to what Hazelcast needs for exceptions and Jet for jobs, and the
   * failures of our operations. It admits no lambda, which could run any method of its class, no
   * URL, whose hash code asks a name server, and nothing of java.rmi. Classes that an application's
   * own filter admits stay admitted.
   */
  public static void limit(JavaSerializationFilterConfig filter) {
    filter
        .getWhitelist()
        .addPrefixes(
            "com.hazelcast.",
            "java.lang.",
            "java.util.",
            "java.io.",
            "java.math.",
            "java.time.",
            "java.net.",
            "[")
        .addClasses(
            GridException.class.getName(), Status.class.getName(), RemoteError.class.getName());
    filter
        .getBlacklist()
        .addPrefixes("java.lang.invoke.", "java.lang.reflect.", "com.hazelcast.shaded.")
        .addClasses("java.net.URL", "java.net.URI");
  }
}
