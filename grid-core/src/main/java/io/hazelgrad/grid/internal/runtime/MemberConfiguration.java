package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MemberAttributeConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SerializationConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import com.sun.management.OperatingSystemMXBean;
import io.hazelgrad.grid.DeviceMaps;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.hazelcast.HazelcastQuorumMember;
import io.hazelgrad.grid.internal.member.ClientDirectory;
import io.hazelgrad.grid.internal.member.ConfigurationGuard;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.member.WorkerIds;
import io.hazelgrad.grid.internal.member.WorkerSerializer;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.tasks.EntryTask;
import io.hazelgrad.grid.internal.tasks.TaskEndpoint;
import io.hazelgrad.grid.internal.wire.SerializerIds;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Proofs;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Prepares Hazelcast configurations for workers, and checks that members were prepared. */
final class MemberConfiguration {
  static final String USER_CONTEXT_KEY = "io.hazelgrad.config";
  static final String VERSION_ATTRIBUTE = "hazelgrad.version";

  /** The version of everything that travels. Workers and clients of two versions do not mix. */
  static final String VERSION = "1";

  private static final String CLIENT_SILENCE_SECONDS = "30";
  private static final String NATIVE_MEMORY_LIMIT = "org.bytedeco.javacpp.maxphysicalbytes";

  /** The most that Hazelcast allows: these maps are tiny, and no id may ever be used again. */
  private static final int BACKUPS = 6;

  private MemberConfiguration() {}

  static Config prepare(Config config, HazelgradConfig worker) {
    ConfigurationGuard.check(config);
    CommonPoolCheck.configure();
    setNativeMemoryLimit();
    TaskEndpoint.prepare(config);
    Proofs proofs =
        SecretFile.proofs(worker, config.getProperty(HazelgradConfig.SECRET_FILE_PROPERTY));
    config.getUserContext().put(Proofs.KEY, proofs);
    EntryTask.prepare(config.getMemberAttributeConfig(), proofs);
    if (config.getUserContext().put(USER_CONTEXT_KEY, worker) instanceof HazelgradConfig) {
      return config; // Prepared before, perhaps for another name; nothing can be added twice.
    }
    SerializationConfig serialization = config.getSerializationConfig();
    serialization.addDataSerializableFactory(SerializerIds.FACTORY, new GridSerializerFactory());
    serialization.getCompactSerializationConfig().addSerializer(new WorkerSerializer());
    JavaSerializationFilterConfig filter =
        Objects.requireNonNullElseGet(
            serialization.getJavaSerializationFilterConfig(), JavaSerializationFilterConfig::new);
    // Java serialization stays on for Jet and Hazelcast themselves, for their packages only.
    ConfigurationGuard.limit(filter);
    serialization.setJavaSerializationFilterConfig(filter);
    setDefault(config, new MapConfig(Directory.WORKERS).setBackupCount(BACKUPS));
    setDefault(config, new MapConfig(WorkerIds.MAP).setBackupCount(BACKUPS));
    setDefault(config, new MapConfig(ClientDirectory.CLIENTS).setBackupCount(BACKUPS));
    config.getJetConfig().setEnabled(true);
    MemberAttributeConfig attributes = config.getMemberAttributeConfig();
    attributes.setAttribute(VERSION_ATTRIBUTE, VERSION);
    attributes.setAttribute(DeviceMaps.ATTRIBUTE, DeviceMaps.attribute(worker.devices()));
    attributes.setAttribute(HazelgradConfig.ROLES_ATTRIBUTE, String.join(",", worker.roles()));
    SafeDefaults.complete(config);
    SafeDefaults.setDefault(config, "hazelcast.operation.response.thread.count", "0");
    SafeDefaults.setDefault(config, "hazelcast.phone.home.enabled", "false");
    SafeDefaults.setDefault(
        config, "hazelcast.client.max.no.heartbeat.seconds", CLIENT_SILENCE_SECONDS);
    SafeDefaults.setDefault(config, "hazelcast.shutdownhook.policy", "GRACEFUL");
    extensions(config.getClassLoader()).forEach(extension -> extension.prepare(config, worker));
    if (worker.quorum()) {
      // Last: it protects the maps that are there by now.
      QuorumService.prepare(config, worker, HazelcastQuorumMember::new);
    }
    return config;
  }

  /**
   * Sets the limit of ND4J's allocator for the resident memory of the process to the machine's
   * memory, unless somebody set it. Its default is four times the heap; but segments of shared
   * memory count as resident, so with a small heap and some large tensors in them ND4J would refuse
   * to allocate anything. The allocator reads the property once, when ND4J is used first.
   */
  private static void setNativeMemoryLimit() {
    if (System.getProperty(NATIVE_MEMORY_LIMIT) == null
        && ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      System.setProperty(NATIVE_MEMORY_LIMIT, Long.toString(system.getTotalMemorySize()));
    }
  }

  /** Returns whether a member can hold our data; a lite member holds none. */
  static boolean isPrepared(Member member) {
    return member.isLiteMember() || knowsUs(member);
  }

  /** Returns whether a member has our classes, so that it can run our tasks. */
  static boolean knowsUs(Member member) {
    return member.getAttribute(VERSION_ATTRIBUTE) != null;
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

  /** Returns the extensions on the class path, in their order. */
  static List<GridExtension> extensions(@Nullable ClassLoader loader) {
    ClassLoader given = loader == null ? MemberConfiguration.class.getClassLoader() : loader;
    return ServiceLoader.load(GridExtension.class, given).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparingInt(GridExtension::order))
        .toList();
  }

  /**
   * Returns the configuration with which a running member was prepared.
   *
   * @throws GridException BAD_CONFIG if it was not prepared
   */
  static HazelgradConfig verified(HazelcastInstance instance) {
    Config config = instance.getConfig();
    ConfigurationGuard.check(config);
    List<String> missing = new ArrayList<>();
    Object found = config.getUserContext().get(USER_CONTEXT_KEY);
    if (!(found instanceof HazelgradConfig)) {
      missing.add("the user context entry " + USER_CONTEXT_KEY);
    }
    if (!(config.getSerializationConfig().getDataSerializableFactories().get(SerializerIds.FACTORY)
        instanceof GridSerializerFactory)) {
      missing.add("the serializer factory " + SerializerIds.FACTORY);
    }
    if (config.getSerializationConfig().getJavaSerializationFilterConfig() == null) {
      missing.add("the filter for Java serialization");
    }
    if (!config.getJetConfig().isEnabled()) {
      missing.add("Jet, enabled");
    }
    if (missing.isEmpty() && found instanceof HazelgradConfig prepared) {
      return prepared;
    }
    throw new GridException(
        Status.BAD_CONFIG,
        ("the Hazelcast instance %s was started without %s: call"
                + " HazelgradConfig.named(\"name\").build().prepare(config) before it starts; adding"
                + " them to a running instance is too late")
            .formatted(instance.getName(), String.join(", ", missing)));
  }

  /**
   * Checks that the members of the cluster speak the protocol of this member or client.
   *
   * @throws GridException BAD_CONFIG if one speaks another version
   */
  static void requireSameProtocol(HazelcastInstance instance) {
    for (Member member : instance.getCluster().getMembers()) {
      String version = member.getAttribute(VERSION_ATTRIBUTE);
      if (version != null && !version.equals(VERSION)) {
        throw new GridException(
            Status.BAD_CONFIG,
            ("the member %s has version %s of Hazelgrad's protocol, and %s here has version %s: use"
                    + " the same version of Hazelgrad on all workers and clients")
                .formatted(member.getAddress(), version, instance.getName(), VERSION));
      }
    }
  }

  /**
   * Checks the other members of the cluster.
   *
   * @throws GridException BAD_CONFIG if one was not prepared, has another version, or differs in
   *     its quorum setting
   */
  static void requireAllMembersPrepared(HazelcastInstance instance, HazelgradConfig config) {
    requireSameProtocol(instance);
    List<String> without = new ArrayList<>();
    for (Member member : instance.getCluster().getMembers()) {
      if (!isPrepared(member)) {
        without.add(member.getAddress().toString());
      } else if (QuorumService.isVoter(member) != config.quorum() && !member.isLiteMember()) {
        throw new GridException(
            Status.BAD_CONFIG,
            ("quorum is %s here, but not at the member %s: HazelgradConfig.quorum must be the same"
                    + " on all workers")
                .formatted(config.quorum() ? "on" : "off", member.getAddress()));
      }
    }
    if (!without.isEmpty()) {
      throw new GridException(
          Status.BAD_CONFIG,
          "every data member needs Hazelgrad on its class path and HazelgradConfig.prepare(...);"
              + " these were started without: "
              + without);
    }
  }
}
