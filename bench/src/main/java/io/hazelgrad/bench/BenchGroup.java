package io.hazelgrad.bench;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.LocalCluster;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Groups of figures. Names, parameters and units are those of torch.distributed.rpc's benchmark.
 */
public enum BenchGroup {
  /** How long a call takes, and how many are made in a second. */
  LATENCY(1, with -> new LatencyBench(with.caller, with.other(0), with.figures).run()),
  /** How fast tensors travel. */
  TRANSFER(1, with -> new TransferBench(with.caller, with.other(0), with.figures).run()),
  /** The same between workers that share no memory, as those of two hosts. */
  SOCKETS(1, with -> new TransferBench(with.caller, with.other(0), with.figures).runBySockets()) {
    @Override
    public List<String> jvmOptions() {
      return List.of(
          "-Dhazelgrad.plane.directory="
              + System.getProperty("java.io.tmpdir"), // Not the caller's.
          "-Dhazelgrad.plane.shared-bytes=0",
          "-Xmx1g");
    }
  },
  /** How long references take to make, use, share and delete, and how many fit in a second. */
  RREF(2, with -> new RRefBench(with.caller, with.other(0), with.other(1), with.figures).run()),
  /** How many bytes a reference takes. */
  MEMORY(1, with -> new MemoryBench(with.caller, with.other(0), with.figures).run()),
  /** What a reference costs while many others are live; the peer has no such benchmark. */
  SCALE(1, with -> new ScaleBench(with.caller, with.other(0), with.most, with.figures).run()) {
    @Override
    public List<String> jvmOptions() {
      return List.of("-Xmx4g");
    }
  },
  /** What all costs as the grid grows to 8 workers; the peer has no such benchmark. */
  WORKERS(
      1, with -> new WorkersBench(with.caller, with.other(0), with.processes, with.figures).run()),
  /** How soon a process that was killed is noticed; the peer has no such benchmark. */
  FAILURE(
      2, with -> new FailureBench(with.caller, with.others, with.processes, with.figures).run()) {
    @Override
    public boolean killsWorkers() {
      return true;
    }
  },
  /** Calls of thin clients beside those of a member; the peer has no such benchmark. */
  CLIENT(1, with -> new ClientBench(with.caller, with.other(0), with.figures).run()),
  /** How long the forward and the backward pass over calls take. */
  AUTOGRAD(1, with -> new AutogradBench(with.caller, with.other(0), with.figures).run()),
  /** How long a step of training takes when the network is split. */
  MLP(1, with -> new MlpBench(with.caller, with.other(0), with.figures).run()),
  /** How often two trainers exchange gradients for parameters with a parameter server. */
  PS(2, with -> new PsBench(with.caller, with.others, with.figures).run()),
  /** How soon workers find each other, make a first call, and have left. */
  STARTUP(3, with -> new StartupBench(with.caller, with.others, with.figures).run()),
  /** What one process does alone, for scale. */
  LOCAL(0, with -> new LocalBench(with.figures).run()),
  /** What the parts cost of which calls, references and passes are made; ours only. */
  INNER(0, with -> new InnerBench(with.figures).run());

  /** How many references {@link #SCALE} has live at most, unless asked for more. */
  public static final int MOST_LIVE = 100_000;

  private final int others;

  @SuppressWarnings("ImmutableEnumChecker") // Lambdas without state.
  private final Consumer<Setting> bench;

  BenchGroup(int others, Consumer<Setting> bench) {
    this.others = others;
    this.bench = bench;
  }

  /** What a benchmark is run with. */
  private record Setting(
      Grid caller, List<String> others, LocalCluster processes, int most, Consumer<Figure> figures) {
    String other(int index) {
      return others.get(index);
    }
  }

  /** Returns the names of the other workers that it needs, each in a JVM of its own. */
  public List<String> others() {
    return IntStream.rangeClosed(1, others).mapToObj(i -> "w" + i).toList();
  }

  /** Returns what those JVMs need besides the usual options. */
  public List<String> jvmOptions() {
    return List.of();
  }

  /** Returns whether it kills workers and starts them anew. */
  public boolean killsWorkers() {
    return false;
  }

  /** Returns its name as it is written on a command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Measures.
   *
   * @param caller the worker that calls the others
   * @param processes the others' processes, for a group that kills workers or starts more
   * @param most how many references there shall be at most, if the group makes ever more
   */
  public void run(Grid caller, LocalCluster processes, int most, Consumer<Figure> figures) {
    bench.accept(new Setting(caller, others(), processes, most, figures));
  }
}
