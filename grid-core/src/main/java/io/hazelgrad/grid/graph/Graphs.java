package io.hazelgrad.grid.graph;

import com.hazelcast.map.IMap;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GraphCatalog;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graphs that any worker calls by name, as {@code Function.graph("name")}. A SameDiff graph is
 * deployed once, with its constants and trained variables; it lies in the map {@code
 * hazelgrad.graphs}, and a worker loads it at the first call.
 *
 * <pre>{@code
 * Graphs.of(grid).deploy("mlp", sameDiff, "probabilities");
 * Tensor p = grid.rpc().sync("w1", Function.<Tensor>graph("mlp"), x);
 * }</pre>
 *
 * <p>A call passes tensors in the order of {@link GraphInfo#inputs}, or one map from names to
 * tensors. It is checked before it is sent. The result is a tensor, or, for several outputs, a map
 * from their names to tensors, in their order.
 *
 * <p>A graph may have the operations that ND4J cannot be made to crash by; a graph with another one
 * is refused when it is deployed, with the operation's name. What the outputs do not need, such as
 * losses, does not count. There is no control flow, and no randomness.
 *
 * <p>Any worker may deploy; whoever can write to Hazelcast's maps can, too.
 *
 * <p>Threads: safe. A graph runs in any number of calls at once. Deploying and undeploying return
 * when all living workers know of it: what is called after that runs the new version, and what was
 * running before finishes with the old one.
 */
public final class Graphs {
  /** The most bytes that a graph may have, with its constants. */
  public static final int MAX_BYTES = 64 << 20;

  static final String MAP = "hazelgrad.graphs";
  private static final String CHANGED = "hazelgrad.graph.changed";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:/\\-]{1,127}");
  private static final Duration NEWS = Duration.ofSeconds(10);
  private static final Logger LOG = LoggerFactory.getLogger(Graphs.class);

  private final GridContext context;
  private final IMap<String, StoredGraph> map;
  private final GraphCache cache;

  Graphs(GridContext context) {
    this.context = context;
    this.map = context.hazelcast().getMap(MAP);
    this.cache = new GraphCache(map);
    context.handler(CHANGED, Handler.Lane.CONTROL, this::changed);
    context.graphs(new Catalog());
    context.onClose(cache::close);
  }

  /** Returns the graphs of a grid. */
  public static Graphs of(GridAccess grid) {
    return grid.service(Graphs.class);
  }

  /**
   * Deploys a graph under a new name. Its inputs are the placeholders that the outputs need, in
   * SameDiff's order, which is that of their names.
   *
   * @param outputs the variables that a call computes
   * @return what was deployed
   * @throws GridException BAD_ARGUMENT if the name is in use or not of the form, or an output is
   *     missing; NOT_ALLOWED if an operation is not allowed; BAD_VALUE if the graph is too large or
   *     has variables without values
   */
  public GraphInfo deploy(String name, SameDiff graph, String... outputs) {
    return deploy(name, graph, inputs(graph), Arrays.asList(outputs));
  }

  /** As above, with the order of the inputs, by the names of the placeholders. */
  public GraphInfo deploy(String name, SameDiff graph, List<String> inputs, List<String> outputs) {
    return put(name, graph, inputs, outputs, false);
  }

  /**
   * Replaces a graph, which may get other inputs and outputs by that. Otherwise as {@link #deploy}.
   *
   * @throws GridException UNKNOWN_FUNCTION if there is none of the name
   */
  public GraphInfo replace(String name, SameDiff graph, String... outputs) {
    return replace(name, graph, inputs(graph), Arrays.asList(outputs));
  }

  /** As above, with the order of the inputs, by the names of the placeholders. */
  public GraphInfo replace(String name, SameDiff graph, List<String> inputs, List<String> outputs) {
    return put(name, graph, inputs, outputs, true);
  }

  /**
   * Takes a graph out. Workers free its memory when the calls that run it have ended.
   *
   * @return false if there was none of the name
   */
  public boolean undeploy(String name) {
    long version = update(requireName(name), new GraphUpdate(StoredGraph.undeployed(), true));
    if (version == GraphUpdate.REFUSED) {
      return false;
    }
    announce(name, version);
    return true;
  }

  /** Returns all deployed graphs, by name. */
  public List<GraphInfo> list() {
    List<GraphInfo> infos = new ArrayList<>();
    Map<String, @Nullable StoredGraph> found = map.executeOnEntries(new GraphQuery());
    found.forEach(
        (name, graph) -> {
          if (graph != null) {
            infos.add(graph.info(name));
          }
        });
    infos.sort(Comparator.comparing(GraphInfo::name));
    return infos;
  }

  /** Returns a deployed graph. */
  public Optional<GraphInfo> find(String name) {
    return Optional.ofNullable(map.executeOnKey(requireName(name), new GraphQuery()))
        .map(graph -> graph.info(name));
  }

  /** Returns the versions of the graphs that this worker has in memory, by name. */
  public Map<String, Long> loaded() {
    return cache.loaded();
  }

  private static List<String> inputs(SameDiff graph) {
    return graph.inputs();
  }

  private GraphInfo put(
      String name, SameDiff graph, List<String> inputs, List<String> outputs, boolean replace) {
    requireName(name);
    if (outputs.isEmpty()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "graph \"" + name + "\": name the variables that a call shall compute");
    }
    byte[] bytes = bytes(name, graph);
    GraphProgram program;
    try {
      program = GraphReader.read(bytes, inputs, outputs);
    } catch (GridException e) {
      throw new GridException(e.status(), "graph \"" + name + "\": " + e.getMessage(), e);
    }
    StoredGraph stored = new StoredGraph(program.inputs(), program.outputs(), bytes);
    long version = update(name, new GraphUpdate(stored, replace));
    if (version == GraphUpdate.REFUSED) {
      throw replace
          ? GraphCache.unknown(name)
          : new GridException(
              Status.BAD_ARGUMENT,
              "a graph \"" + name + "\" is deployed already; use replace(...) or undeploy it");
    }
    announce(name, version);
    LOG.info("deployed graph {} version {}", name, version);
    return stored.withVersion(version).info(name);
  }

  private long update(String name, GraphUpdate update) {
    return context.await(context.retrying(() -> map.submitToKey(name, update)));
  }

  private static byte[] bytes(String name, SameDiff graph) {
    ByteBuffer buffer;
    try {
      buffer = graph.asFlatBuffers(false);
    } catch (RuntimeException e) {
      throw new GridException(
          Status.BAD_VALUE, "graph \"" + name + "\" cannot be written by SameDiff: " + e, e);
    }
    if (buffer.remaining() > MAX_BYTES) {
      throw new GridException(
          Status.BAD_VALUE,
          "graph \""
              + name
              + "\" has "
              + buffer.remaining()
              + " bytes with its constants, more than "
              + MAX_BYTES
              + "; pass large weights as inputs");
    }
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a graph's name is of the form " + NAME + ": \"" + name + "\"");
    }
    return name;
  }

  /** Tells all workers; one that does not answer in time learns it from the calls themselves. */
  private void announce(String name, long version) {
    cache.announce(name, version);
    List<CompletableFuture<?>> told = new ArrayList<>();
    for (Worker worker : context.living().values()) {
      if (!worker.equals(context.self())) {
        try {
          told.add(context.call(worker, CHANGED, List.of(name, version), NEWS));
        } catch (GridException e) {
          LOG.debug("{} was not told of graph {}", worker, name, e); // It left.
        }
      }
    }
    for (CompletableFuture<?> one : told) {
      try {
        Object unused = context.await(one);
      } catch (GridException e) {
        if (e.status() != Status.WORKER_LOST) {
          LOG.warn("a worker did not confirm version {} of graph {}: {}", version, name, e);
        }
      }
    }
  }

  private @Nullable Object changed(List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() == 2
        && arguments.get(0) instanceof String name
        && arguments.get(1) instanceof Long version
        && NAME.matcher(name).matches()) {
      cache.announce(name, version);
      return null;
    }
    throw new GridException(Status.BAD_ARGUMENT, CHANGED + " takes a name and a version");
  }

  /** The side of calls. */
  private final class Catalog implements GraphCatalog {
    @Override
    public long check(String graph, List<@Nullable Object> arguments) {
      GraphInfo info = cache.info(requireName(graph));
      GraphArguments.bind(graph, info.inputs(), arguments);
      return info.version();
    }

    @Override
    public Object apply(String graph, long version, List<@Nullable Object> arguments) {
      LoadedGraph loaded = cache.enter(requireName(graph), version, context::await);
      try {
        return loaded.run(arguments);
      } finally {
        loaded.leave();
      }
    }
  }
}
