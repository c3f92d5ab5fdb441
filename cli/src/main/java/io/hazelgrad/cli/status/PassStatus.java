package io.hazelgrad.cli.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.client.GridClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The backward passes in the output of {@code status}: those that run, the oldest first, and the
 * last one that failed within an hour.
 */
public record PassStatus(Instant now, List<PassInfo> running, @Nullable PassInfo lastFailed) {
  /** Reads the grid's log of passes. */
  public static PassStatus of(GridClient client) {
    return of(Instant.now(), client.autograd().recentPasses());
  }

  /** Chooses from passes by the time that it is now. */
  public static PassStatus of(Instant now, List<PassInfo> passes) {
    return new PassStatus(
        now,
        passes.stream()
            .filter(pass -> pass.state() == PassInfo.State.RUNNING)
            .sorted(Comparator.comparing(PassInfo::started))
            .toList(),
        passes.stream()
            .filter(pass -> pass.state() == PassInfo.State.ABORTED)
            .max(Comparator.comparing(PassInfo::started))
            .orElse(null));
  }

  /** Returns a line for each pass, or the empty string. */
  public String text() {
    StringBuilder text = new StringBuilder();
    running.forEach(pass -> text.append(String.format("runs: %s%n", line(pass))));
    if (lastFailed != null) {
      String error = String.valueOf(lastFailed.error()).replaceAll("\\s+", " ");
      text.append(
          String.format("failed: %s: %s: %s%n", line(lastFailed), lastFailed.status(), error));
    }
    return text.toString();
  }

  private String line(PassInfo pass) {
    return String.format(
        Locale.ROOT,
        "pass %s of %s in context %s, %s, %d messages in %d waves, begun %.1f s ago",
        pass.pass() == null ? "without number" : pass.pass(),
        pass.worker(),
        pass.context(),
        String.join(", ", pass.workers()),
        pass.messages(),
        pass.waves(),
        secondsAgo(pass));
  }

  /** Returns the age of a pass, at least 0: clocks of two machines may differ. */
  private double secondsAgo(PassInfo pass) {
    return Math.max(0, Duration.between(pass.started(), now).toMillis() / 1e3);
  }

  ObjectNode json() {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    var list = all.putArray("running");
    running.forEach(pass -> list.add(json(pass)));
    all.set("last_failed", lastFailed == null ? all.nullNode() : json(lastFailed));
    return all;
  }

  private ObjectNode json(PassInfo pass) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("context", pass.context());
    node.put("pass", pass.pass());
    node.put("attempt", pass.attempt());
    node.put("worker", pass.worker());
    node.put("client", pass.isClient());
    var workers = node.putArray("workers");
    pass.workers().forEach(workers::add);
    node.put("waves", pass.waves());
    node.put("messages", pass.messages());
    node.put("bytes", pass.bytes());
    node.put("seconds_ago", secondsAgo(pass));
    node.put("milliseconds", pass.milliseconds());
    node.put("status", pass.status());
    node.put("error", pass.error());
    return node;
  }
}
