package io.hazelgrad.autograd.graph;

import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.OnnxModel;
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
 * The graphs that any worker can call by name, with {@code Function.graph("name")}. A SameDiff
 * graph is deployed once, with its constants and trained variables, into the map {@code
 * hazelgrad.graphs}. A worker loads it at the first call.
 *
 * <pre>{@code
 * Graphs.of(grid).deploy("mlp", sameDiff, "probabilities");
 * Tensor p = grid.rpc().sync("w1", Function.<Tensor>graph("mlp"), x);
 * }</pre>
 *
 * <p>An ONNX model is deployed likewise, with {@link #deploy(String, OnnxModel)}: its
 * floating-point initializers are the parameters.
 *
 * <p>A call passes tensors in the order of {@link GraphInfo#inputs}, or one map from names to
 * tensors. The arguments are checked before the call is sent. The result is a tensor, or, for
 * several outputs, a map from their names to tensors, in their order.
 *
 * <p>If one of the arguments is a {@link Variable}, the results are variables, and the graph is
 * recorded: within a context, gradients flow through it to the inputs and to the graph's {@link
 * #parameters}, its floating-point SameDiff variables. Constants get no gradients.
 *
 * <p>A graph runs on the operations of the {@link io.hazelgrad.autograd.ops.Catalogue}. A graph
 * with an operation that is not made of these is refused when it is deployed, with the operation's
 * name. Parts that the outputs do not need, such as losses, are ignored. Control flow and
 * randomness are not supported.
 *
 * <p>Any worker may deploy, and so may any process that can write to Hazelcast's maps.
 *
 * <p>Threads: safe. A graph can run in any number of calls at once. Deploying and undeploying
 * return when all living workers know of the change: later calls run the new version, and running
 * calls finish with the old one.
 */
public final class Graphs {
  /** The most bytes of a graph with its constants. */
  public static final int MAX_BYTES = 64 << 20;

  static final String MAP = "hazelgrad.graphs";
  private static final String CHANGED = "hazelgrad.graph.changed";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:/\\-]{1,127}");
  private static final Duration ANNOUNCE_TIMEOUT = Duration.ofSeconds(10);
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
   * @return the description of the deployed graph
   * @throws GridException BAD_ARGUMENT if the name is in use or malformed, or an output is missing;
   *     NOT_ALLOWED if an operation is not allowed; BAD_VALUE if the graph is too large or has
   *     variables without values
   */
  public GraphInfo deploy(String name, SameDiff graph, String... outputs) {
    return deploy(name, graph, graph.inputs(), Arrays.asList(outputs));
  }

  /** Deploys a graph with the given order of its inputs, by the names of the placeholders. */
  public GraphInfo deploy(String name, SameDiff graph, List<String> inputs, List<String> outputs) {
    return put(name, graph, inputs, outputs, false);
  }

  /**
   * Replaces a graph, whose inputs and outputs may change. Otherwise like {@link #deploy}.
   *
   * @throws GridException UNKNOWN_FUNCTION if no graph has this name
   */
  public GraphInfo replace(String name, SameDiff graph, String... outputs) {
    return replace(name, graph, graph.inputs(), Arrays.asList(outputs));
  }

  /**
   * Deploys an ONNX model under a new name, with its inputs and outputs in its order.
   *
   * @return the description of the deployed graph
   * @throws GridException BAD_ARGUMENT if the name is in use or malformed; BAD_VALUE if the model
   *     is larger than {@link #MAX_BYTES}
   */
  public GraphInfo deploy(String name, OnnxModel model) {
    return put(name, model, false);
  }

  /**
   * Replaces a graph by an ONNX model. Otherwise like {@link #deploy(String, OnnxModel)}.
   *
   * @throws GridException UNKNOWN_FUNCTION if no graph has this name
   */
  public GraphInfo replace(String name, OnnxModel model) {
    return put(name, model, true);
  }

  /** Replaces a graph with the given order of its inputs, by the names of the placeholders. */
  public GraphInfo replace(String name, SameDiff graph, List<String> inputs, List<String> outputs) {
    return put(name, graph, inputs, outputs, true);
  }

  /**
   * Removes a graph. Workers free its memory when the calls that run it have ended.
   *
   * @return false if no graph had this name
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

  /** Returns the description of a deployed graph. */
  public Optional<GraphInfo> find(String name) {
    return Optional.ofNullable(map.executeOnKey(requireName(name), new GraphQuery()))
        .map(graph -> graph.info(name));
  }

  /** Returns the versions of the graphs that this worker has loaded, by name. */
  public Map<String, Long> loaded() {
    return cache.loaded();
  }

  /**
   * Returns the parameters of this worker's copy of a graph, by name; loads the graph if it has not
   * been loaded. An optimizer that sets them trains this copy: later calls on this worker compute
   * with the new values until the graph is replaced.
   *
   * @throws GridException UNKNOWN_FUNCTION if no graph has this name
   */
  public Map<String, Variable> parameters(String name) {
    return cache.get(requireName(name), 0, context::await).program().parameters();
  }

  private GraphInfo put(
      String name, SameDiff graph, List<String> inputs, List<String> outputs, boolean replace) {
    requireName(name);
    if (outputs.isEmpty()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "graph \"" + name + "\": name at least one variable that a call computes");
    }
    byte[] bytes = bytes(name, graph);
    GraphProgram program;
    try {
      program = GraphFormat.SAMEDIFF.read(bytes, inputs, outputs);
    } catch (GridException e) {
      throw new GridException(e.status(), "graph \"" + name + "\": " + e.getMessage(), e);
    }
    return put(name, GraphFormat.SAMEDIFF, program, bytes, replace);
  }

  private GraphInfo put(String name, OnnxModel model, boolean replace) {
    requireName(name);
    byte[] bytes = model.bytes();
    requireSize(name, bytes.length);
    return put(name, GraphFormat.ONNX, new OnnxGraph(model), bytes, replace);
  }

  private GraphInfo put(
      String name, GraphFormat format, GraphProgram program, byte[] bytes, boolean replace) {
    StoredGraph stored = new StoredGraph(format, program.inputs(), program.outputs(), bytes);
    long version = update(name, new GraphUpdate(stored, replace));
    if (version == GraphUpdate.REFUSED) {
      throw replace
          ? GraphCache.unknown(name)
          : new GridException(
              Status.BAD_ARGUMENT,
              "a graph \"" + name + "\" is deployed already; use replace(...) or undeploy(...)");
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
          Status.BAD_VALUE, "graph \"" + name + "\" cannot be serialized by SameDiff: " + e, e);
    }
    requireSize(name, buffer.remaining());
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static void requireSize(String name, int bytes) {
    if (bytes > MAX_BYTES) {
      throw new GridException(
          Status.BAD_VALUE,
          ("graph \"%s\" has %s bytes with its constants, more than %s; pass "
                  + "large weights as inputs")
              .formatted(name, bytes, MAX_BYTES));
    }
  }

  private static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a graph's name must match " + NAME + ", got \"" + name + "\"");
    }
    return name;
  }

  /** Tells all workers; a worker that does not answer in time learns it from calls. */
  private void announce(String name, long version) {
    cache.announce(name, version);
    List<CompletableFuture<?>> replies = new ArrayList<>();
    for (Worker worker : context.directory().living().values()) {
      if (!worker.equals(context.self())) {
        try {
          replies.add(context.call(worker, CHANGED, List.of(name, version), ANNOUNCE_TIMEOUT));
        } catch (GridException e) {
          LOG.debug("{} was not told of graph {}", worker, name, e); // It has left.
        }
      }
    }
    for (CompletableFuture<?> reply : replies) {
      try {
        Object unused = context.await(reply);
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

  /** The graphs as calls use them. */
  private final class Catalog implements GraphCatalog {
    @Override
    public long check(String graph, List<@Nullable Object> arguments) {
      GraphInfo info = cache.info(requireName(graph));
      GraphArguments.bind(graph, info.inputs(), arguments);
      return info.version();
    }

    @Override
    public Object apply(String graph, long version, List<@Nullable Object> arguments) {
      return cache.get(requireName(graph), version, context::await).program().run(graph, arguments);
    }
  }
}
