package io.hazelgrad.autograd.internal.history;

import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import com.hazelcast.query.Predicates;
import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.ContextInfo;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.participant.PassMeasurement;
import io.hazelgrad.autograd.internal.participant.PassMeter;
import io.hazelgrad.autograd.internal.pass.Arguments;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the open contexts and the passes of this worker or client into distributed maps, once per
 * second and in the background. Contexts and passes do not wait for it, and a context that closes
 * within the second is not written. Nothing depends on these maps, so a failed write is only logged
 * and repeated. Threads: safe.
 */
public final class HistoryWriter {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryWriter.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration MEASUREMENTS_TIMEOUT = Duration.ofSeconds(2);

  private final GridContext grid;
  private final Contexts contexts;
  private final PassLog log;
  private final AtomicBoolean writes = new AtomicBoolean();

  /** The contexts that are in the map, null if a write failed; guarded by {@code writes}. */
  private final Map<ContextId, @Nullable ContextInfo> written = new HashMap<>();

  public HistoryWriter(GridContext grid, Contexts contexts, PassLog log) {
    this.grid = grid;
    this.contexts = contexts;
    this.log = log;
    if (!log.isOff()) {
      grid.every(PERIOD, this::write);
      grid.onClose(this::close);
    }
    if (!grid.isClient()) {
      grid.every(grid.reconcileEvery(), this::sweep);
      grid.onClientGone(client -> sweep());
    }
  }

  public List<ContextInfo> contexts() {
    return HistoryMaps.contexts(grid.hazelcast()).values().stream()
        .map(HistoryMaps::context)
        .toList();
  }

  public List<PassInfo> passes() {
    return HistoryMaps.passes(grid.hazelcast()).values().stream().map(HistoryMaps::pass).toList();
  }

  private void close() {
    GridException ended = grid.ended(); // A fenced one leaves it to the sweep of others.
    if (ended == null || ended.status() != Status.FENCED) {
      write();
    }
  }

  private void write() {
    if (!writes.compareAndSet(false, true)) {
      return; // An earlier write still runs.
    }
    try {
      writeContexts();
      writePasses();
    } catch (RuntimeException e) { // For example without a quorum.
      LOG.debug("the history of contexts and passes was not written", e);
    } finally {
      writes.set(false);
    }
  }

  private void writeContexts() {
    Collection<ContextState> open = contexts.own();
    if (open.isEmpty() && written.isEmpty()) {
      return;
    }
    Set<ContextId> inBackward = log.contexts();
    Map<String, GenericRecord> rows = new HashMap<>();
    Map<ContextId, ContextInfo> changed = new HashMap<>();
    Set<ContextId> closed = new HashSet<>(written.keySet());
    for (ContextState state : open) {
      ContextId id = state.id();
      closed.remove(id);
      ContextInfo before = written.get(id);
      boolean runs = inBackward.contains(id);
      if (before == null || before.inBackward() != runs) {
        Instant since =
            before == null ? Instant.now().minusNanos(state.ageNanos()) : before.since();
        ContextInfo info =
            new ContextInfo(id.text(), grid.self().name(), grid.isClient(), since, runs);
        rows.put(id.text(), HistoryMaps.write(info));
        changed.put(id, info);
        written.put(id, null); // A context is deleted even if its write fails.
      }
    }
    IMap<String, GenericRecord> map = HistoryMaps.contexts(grid.hazelcast());
    map.setAll(rows);
    written.putAll(changed);
    closed.forEach(id -> map.delete(id.text()));
    written.keySet().removeAll(closed);
  }

  private void writePasses() {
    PassLog.Changes changes = log.take();
    if (changes.passes().isEmpty() && changes.dropped().isEmpty()) {
      return;
    }
    try {
      write(changes);
    } catch (RuntimeException e) {
      log.putBack(changes);
      throw e;
    }
  }

  private void write(PassLog.Changes changes) {
    long self = grid.self().id();
    Map<PassLogEntry, PassMeasurement> measured = measurements(changes.passes());
    Map<String, GenericRecord> rows = new HashMap<>();
    for (PassLogEntry pass : changes.passes()) {
      rows.put(
          HistoryMaps.passKey(self, pass.number()),
          HistoryMaps.write(
              pass.info(
                  grid.self(),
                  grid.isClient(),
                  measured.getOrDefault(pass, PassMeasurement.UNKNOWN))));
    }
    IMap<String, GenericRecord> map = HistoryMaps.passes(grid.hazelcast());
    map.setAll(rows);
    changes.dropped().forEach(number -> map.delete(HistoryMaps.passKey(self, number)));
  }

  /** Asks the members of ended passes what they measured. */
  private Map<PassLogEntry, PassMeasurement> measurements(List<PassLogEntry> passes) {
    Map<PassLogEntry, PassMeasurement> sums = new HashMap<>();
    Map<UUID, List<PassLogEntry>> byHost = new HashMap<>();
    for (PassLogEntry pass : passes) {
      if (pass.hasEnded()) {
        sums.put(pass, PassMeasurement.NONE);
        pass.hosts()
            .forEach(host -> byHost.computeIfAbsent(host, any -> new ArrayList<>()).add(pass));
      }
    }
    Map<UUID, CompletableFuture<List<PassMeasurement>>> answers = new HashMap<>();
    byHost.forEach((host, asked) -> answers.put(host, ask(host, asked)));
    answers.forEach(
        (host, answer) -> {
          List<PassMeasurement> theirs = List.of();
          try {
            theirs = grid.await(answer);
          } catch (GridException e) {
            LOG.debug("member {} did not return what it measured of passes", host, e);
          }
          List<PassLogEntry> asked = byHost.getOrDefault(host, List.of());
          for (int i = 0; i < asked.size(); i++) {
            sums.merge(
                asked.get(i),
                i < theirs.size() ? theirs.get(i) : PassMeasurement.UNKNOWN,
                PassMeasurement::plus);
          }
        });
    return sums;
  }

  private CompletableFuture<List<PassMeasurement>> ask(UUID host, List<PassLogEntry> passes) {
    long[] numbers =
        passes.stream()
            .map(PassLogEntry::id)
            .mapToLong(id -> id == null ? 0 : id.sequence())
            .toArray();
    Worker worker = grid.ended() == null ? grid.directory().on(host) : null;
    if (worker == null) {
      return CompletableFuture.completedFuture(List.of());
    }
    CompletableFuture<long[]> answer =
        grid.tryCall(worker, PassMeter.MEASUREMENTS, Arguments.one(numbers), MEASUREMENTS_TIMEOUT);
    return answer.thenApply(numbered -> PassMeasurement.read(numbered, worker.name()));
  }

  /** Deletes the contexts and aborts the passes of lost initiators, in the local map entries. */
  private void sweep() {
    IMap<String, GenericRecord> open = HistoryMaps.contexts(grid.hazelcast());
    IMap<String, GenericRecord> passes = HistoryMaps.passes(grid.hazelcast());
    Set<String> contextKeys = open.localKeySet();
    Set<String> passKeys =
        passes.localKeySet(Predicates.equal("state", PassInfo.State.RUNNING.name()));
    if (contextKeys.isEmpty() && passKeys.isEmpty()) {
      return;
    }
    // Read after the keys, so that it holds all their living writers.
    Set<Long> living = grid.directory().livingAndClients().keySet();
    Predicate<String> isLost = key -> !living.contains(HistoryMaps.writer(key));
    contextKeys.stream().filter(isLost).forEach(open::delete);
    passKeys.stream().filter(isLost).forEach(key -> abort(passes, key));
  }

  private static void abort(IMap<String, GenericRecord> passes, String key) {
    GenericRecord row = passes.get(key);
    if (row == null || HistoryMaps.pass(row).state() != PassInfo.State.RUNNING) {
      return;
    }
    GenericRecord aborted =
        row.newBuilderWithClone()
            .setString("state", PassInfo.State.ABORTED.name())
            .setString("status", Status.WORKER_LOST.name())
            .setString("error", row.getString("worker") + " was lost while it ran the pass")
            .build();
    passes.replace(key, row, aborted);
  }
}
