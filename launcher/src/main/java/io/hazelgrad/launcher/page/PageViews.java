package io.hazelgrad.launcher.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.waits.Waits;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of the page as JSON, by the path at which the page asks for them. Threads: safe. */
final class PageViews {
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS);
  private static final Duration FRESH = Duration.ofMillis(500);
  private static final int HANDLES = 5_000;
  private static final int PASSES = 60;
  private static final String CLIENTS = "hazelgrad.clients";

  private final Map<String, View> all;

  PageViews(GridAccess grid) {
    all =
        Map.of(
            "/api/workers", new View(() -> workers(grid)),
            "/api/references", new View(() -> references(grid)),
            "/api/passes", new View(() -> passes(grid)),
            "/api/jobs", new View(() -> jobs(grid)),
            "/api/why", new View(() -> JSON.valueToTree(Waits.on(grid).look(Waits.LONG))));
  }

  @Nullable View byPath(String path) {
    return all.get(path);
  }

  /** A view that is made at most twice a second, for any number of browsers. */
  static final class View {
    private final Supplier<JsonNode> make;
    private @Nullable JsonNode last;
    private long madeNanos;

    private View(Supplier<JsonNode> make) {
      this.make = make;
    }

    synchronized JsonNode json() {
      JsonNode known = last;
      if (known == null || System.nanoTime() - madeNanos > FRESH.toNanos()) {
        known = make.get();
        last = known;
        madeNanos = System.nanoTime();
      }
      return known;
    }
  }

  private static JsonNode workers(GridAccess grid) {
    ObjectNode view = JSON.createObjectNode().put("millis", System.currentTimeMillis());
    ArrayNode workers = view.putArray("workers");
    WorkerFigures.ofAll(grid).forEach(each -> workers.add(each.json(JSON)));
    ArrayNode clients = view.putArray("clients");
    grid.hazelcast().<Long, Worker>getMap(CLIENTS).values().stream()
        .sorted(Comparator.comparing(Worker::id))
        .forEach(it -> clients.addObject().put("name", it.name()).put("id", it.id()));
    return view;
  }

  private static JsonNode references(GridAccess grid) {
    return JSON.valueToTree(RRefs.on(grid).find(RRefFilter.all().limit(HANDLES)));
  }

  private static JsonNode passes(GridAccess grid) {
    ArrayNode view = JSON.createArrayNode();
    grid.service(Autograd.class).recentPasses().stream()
        .sorted(Comparator.comparing(PassInfo::started).reversed())
        .limit(PASSES)
        .forEach(pass -> view.add(pass(pass)));
    return view;
  }

  private static ObjectNode pass(PassInfo pass) {
    ObjectNode node =
        JSON.createObjectNode()
            .put("pass", pass.pass())
            .put("context", pass.context())
            .put("worker", pass.worker())
            .put("waves", pass.waves())
            .put("messages", pass.messages())
            .put("started", milliseconds(pass.started()))
            .put("milliseconds", pass.milliseconds())
            .put("state", pass.state().name())
            .put("error", pass.error());
    pass.workers().forEach(node.putArray("workers")::add);
    ArrayNode times = node.putArray("times");
    pass.times()
        .forEach(
            it ->
                times
                    .addObject()
                    .put("worker", it.worker())
                    .put("wave", it.wave())
                    .put("started", milliseconds(it.started()))
                    .put("milliseconds", it.milliseconds()));
    return node;
  }

  /** Returns the milliseconds since 1970, with their fraction. */
  private static double milliseconds(Instant time) {
    return time.getEpochSecond() * 1e3 + time.getNano() / 1e6;
  }

  private static JsonNode jobs(GridAccess grid) {
    ArrayNode view = JSON.createArrayNode();
    TrainingJobs jobs = TrainingJobs.on(grid);
    for (String name : jobs.names()) {
      TrainingJob job = jobs.find(name);
      if (job != null) { // It may have been forgotten meanwhile.
        view.add(JSON.<JsonNode>valueToTree(job.status()));
      }
    }
    return view;
  }
}
