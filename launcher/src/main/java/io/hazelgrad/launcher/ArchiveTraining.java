package io.hazelgrad.launcher;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The process that shows the JVM which classes a {@link ClassArchive} needs. It runs two workers
 * and a client, and trains a layer from each of them for a moment.
 */
@RemoteFunctions
final class ArchiveTraining {
  private static final String OWNER = "owner";
  private static final String TRAINER = "trainer";
  private static final int ROWS = 32;
  private static final int WIDTH = 64;
  private static final int STEPS = 50;

  private final String cluster = "hazelgrad-" + UUID.randomUUID();
  private final Set<Integer> ports = new HashSet<>();
  private final Endpoint first = new Endpoint("127.0.0.1", Endpoint.freePort(ports));
  private final Endpoint clients = new Endpoint("127.0.0.1", Endpoint.freePort(ports));

  private ArchiveTraining() {}

  /** Runs everything once and ends the process; exit code 0 if all went well. */
  public static void main(String[] arguments) {
    try {
      new ArchiveTraining().run();
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(Main.FAILED);
    }
    System.exit(Main.OK); // Hazelcast may have threads left.
  }

  private void run() {
    String unused = Main.commandLine().getUsageMessage(); // Loads the classes of the commands.
    // And those that check an edited configuration file.
    Config unusedToo = HazelgradConfig.readYaml(MemberSettings.defaultFile());
    Grid owner = join(OWNER, first.port(), clients.port());
    Grid trainer = join(TRAINER, Endpoint.freePort(ports), Endpoint.freePort(ports));
    train(trainer);
    ClientConfig config = new ClientConfig().setClusterName(cluster);
    config.getNetworkConfig().addAddress(clients.toString());
    try (GridClient client = GridClient.connect(config)) {
      train(client);
    }
    trainer.close();
    owner.hazelcast().getLifecycleService().terminate();
    owner.close();
  }

  private Grid join(String name, int port, int clientPort) {
    List<Endpoint> join = name.equals(OWNER) ? List.of() : List.of(first);
    Config config =
        new MemberSettings(
                MemberSettings.defaultFile(), cluster, first.host(), port, clientPort, null, join)
            .load()
            .setProperty("hazelcast.shutdownhook.enabled", "false");
    return Grid.join(
        HazelgradConfig.named(name).functions(ArchiveTraining.class).hazelcast(config).build());
  }

  private static void train(GridAccess from) {
    Tensor pixels = Tensor.full(DType.FLOAT32, 0.5, ROWS, WIDTH);
    Tensor labels = Tensor.zeros(DType.INT64, ROWS);
    List<RRef<Variable>> parameters = new ArrayList<>();
    try (RRef<Layer> layer = RRefs.on(from).remote(OWNER, Layer::new, WIDTH)) {
      parameters.addAll(layer.sync(Layer::parameters));
      try (DistributedOptimizer optimizer =
          DistributedOptimizer.create(from, Sgd.of(0.1).withMomentum(0.9), parameters)) {
        for (int step = 0; step < STEPS; step++) {
          try (Context context = Autograd.on(from).open()) {
            Variable output = layer.sync(Layer::forward, Variable.of(pixels));
            context.backward(output.crossEntropy(Variable.of(labels)));
            optimizer.step(context);
          }
        }
      }
    } finally {
      parameters.forEach(RRef::close);
    }
    Tensor unused = from.rpc().sync(OWNER, Function.<Tensor>operator("mul"), pixels, pixels);
  }

  /** A layer with an activation, on the worker that owns it. */
  @RemoteFunctions
  static final class Layer {
    private final Linear linear;

    Layer(int width) {
      linear = new Linear(width, width, Init.seeded(1));
    }

    Variable forward(Variable x) {
      return linear.forward(x).tanh();
    }

    List<RRef<Variable>> parameters() {
      return linear.parameterRRefs(Grid.current());
    }
  }
}
