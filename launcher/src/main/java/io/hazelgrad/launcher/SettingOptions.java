package io.hazelgrad.launcher;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.rref.RRefOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The option {@code --set} of {@code member}: limits by the names that errors mention. */
final class SettingOptions {
  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description =
          "A setting of HazelgradConfig: callTimeout (seconds, 0 for none), maxRunning, maxQueued,"
              + " maxWaiting, maxRequestBytes, quorum (true or false), foundingSize,"
              + " uniqueNames (true or false); or of RRefOptions: maxObjects, maxBytes,"
              + " maxDurableBytes, durableBackups, handOverWait (seconds). May be given again.")
  private Map<String, String> settings = new LinkedHashMap<>();

  void addTo(HazelgradConfig.Builder builder) {
    RRefOptions limits = RRefOptions.defaults();
    for (Map.Entry<String, String> each : settings.entrySet()) {
      String value = each.getValue();
      try {
        switch (each.getKey()) {
          case "callTimeout" -> builder.callTimeout(Duration.ofSeconds(Long.parseLong(value)));
          case "maxRunning" -> builder.maxRunning(Integer.parseInt(value));
          case "maxQueued" -> builder.maxQueued(Integer.parseInt(value));
          case "maxWaiting" -> builder.maxWaiting(Integer.parseInt(value));
          case "maxRequestBytes" -> builder.maxRequestBytes(Long.parseLong(value));
          case "quorum" -> builder.quorum(isTrue(value));
          case "foundingSize" -> builder.foundingSize(Integer.parseInt(value));
          case "uniqueNames" -> builder.uniqueNames(isTrue(value));
          case "maxObjects" -> limits = limits.withMaxObjects(Long.parseLong(value));
          case "maxBytes" -> limits = limits.withMaxBytes(Long.parseLong(value));
          case "maxDurableBytes" -> limits = limits.withMaxDurableBytes(Long.parseLong(value));
          case "durableBackups" -> limits = limits.withDurableBackups(Integer.parseInt(value));
          case "handOverWait" ->
              limits = limits.withHandOverWait(Duration.ofSeconds(Long.parseLong(value)));
          default -> throw new BadInputException("--set knows no " + each + "; see --help");
        }
      } catch (IllegalArgumentException | GridException e) {
        throw new BadInputException("--set " + each + ": " + e.getMessage(), e);
      }
    }
    builder.options(limits);
  }

  private static boolean isTrue(String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new IllegalArgumentException("true or false is needed");
  }
}
