package io.hazelgrad.autograd.graph;

import com.hazelcast.map.IMap;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The graphs that this worker has loaded, the newest version of each.
 *
 * <p>A slot is a load, under way or complete, with the version that was known when it began. A call
 * needs the greater of two versions: the one that it was sent with and the one that was announced
 * here. A slot serves the call if its load began with knowledge of that version, or brought it;
 * otherwise a new load replaces it. All callers that need the same version wait for one load, and a
 * load that began before an announcement serves no call after it. The map decides: if it has lost
 * data, and a load that knew of a version finds an older one, the older one is used.
 */
final class GraphCache {
  private final IMap<String, StoredGraph> map;
  private final Map<String, Slot> slots = new ConcurrentHashMap<>();
  private final Map<String, Long> announced = new ConcurrentHashMap<>();
  private final Map<String, GraphInfo> infos = new ConcurrentHashMap<>();
  private volatile boolean closed;

  GraphCache(IMap<String, StoredGraph> map) {
    this.map = map;
  }

  /** One version of a graph, ready to run. */
  record Loaded(long version, GraphProgram program) {}

  /** A load. The first caller that sees it runs it. */
  private record Slot(long needed, CompletableFuture<Loaded> graph) {
    boolean serves(long version) {
      Loaded loaded = loaded();
      return needed >= version || (loaded != null && loaded.version() >= version);
    }

    /** Returns the graph, or null if it is being loaded or cannot be. */
    @Nullable Loaded loaded() {
      return graph.isDone() && !graph.isCompletedExceptionally() ? graph.join() : null;
    }
  }

  /** Notes that a version exists, or that it removed the graph. Never blocks. */
  void announce(String name, long version) {
    announced.merge(name, version, Math::max);
    infos.computeIfPresent(name, (n, info) -> info.version() < version ? null : info);
    slots.computeIfPresent(name, (n, slot) -> slot.serves(version) ? slot : null);
  }

  /** Returns the description of a graph; reads the map only if it is not known here. */
  GraphInfo info(String name) {
    GraphInfo cached = infos.get(name);
    if (cached != null) {
      return cached;
    }
    StoredGraph stored = map.executeOnKey(name, new GraphQuery());
    if (stored == null) {
      throw unknown(name);
    }
    GraphInfo info = stored.info(name);
    if (info.version() >= announced.getOrDefault(name, 0L)) {
      infos.put(name, info);
      if (info.version() < announced.getOrDefault(name, 0L)) {
        infos.remove(name, info); // A newer version was announced meanwhile.
      }
    }
    return info;
  }

  /**
   * Returns a graph of this version or a newer one.
   *
   * @param await waits for a load that another thread runs
   */
  Loaded get(String name, long version, Function<CompletableFuture<Loaded>, Loaded> await) {
    if (closed) {
      throw new GridException(Status.CLOSED, "this worker has left the grid");
    }
    long needed = Math.max(version, announced.getOrDefault(name, 0L));
    Slot mine = new Slot(needed, new CompletableFuture<>());
    Slot slot = slots.compute(name, (n, old) -> old != null && old.serves(needed) ? old : mine);
    if (slot.graph() == mine.graph()) {
      load(name, mine);
    }
    return await.apply(slot.graph());
  }

  private void load(String name, Slot slot) {
    try {
      StoredGraph stored = map.get(name);
      if (stored == null || !stored.isLive()) {
        throw unknown(name);
      }
      slot.graph().complete(new Loaded(stored.version(), stored.program()));
    } catch (Throwable e) { // The callers that wait for the load must be told.
      slots.remove(name, slot);
      slot.graph().completeExceptionally(failure(name, e));
    }
  }

  private static GridException failure(String name, Throwable thrown) {
    String prefix = "graph \"" + name + "\" cannot be loaded: ";
    if (thrown instanceof GridException e) {
      return e.status() == Status.UNKNOWN_FUNCTION
          ? e
          : new GridException(e.status(), prefix + e.getMessage(), e);
    }
    return new GridException(Status.INTERNAL, prefix + thrown, thrown);
  }

  static GridException unknown(String name) {
    return new GridException(
        Status.UNKNOWN_FUNCTION,
        "no graph is deployed under the name \"" + name + "\"; Graphs.list() has those that are");
  }

  Map<String, Long> loaded() {
    Map<String, Long> versions = new TreeMap<>();
    slots.forEach(
        (name, slot) -> {
          Loaded loaded = slot.loaded();
          if (loaded != null) {
            versions.put(name, loaded.version());
          }
        });
    return versions;
  }

  /** Forgets all graphs; calls that run them end. */
  void close() {
    closed = true;
    slots.clear();
  }
}
