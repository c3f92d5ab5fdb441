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
  /** The latency and throughput of calls. */
  LATENCY(1, with -> new LatencyBench(with.caller, with.other(0), with.figures).run()),
  /** The transfer of tensors. */
  TRANSFER(1, with -> new TransferBench(with.caller, with.other(0), with.figures).run()),
  /** The transfer of tensors between workers without shared memory, as on two hosts. */
  SOCKETS(1, with -> new TransferBench(with.caller, with.other(0), with.figures).runBySockets()) {
    @Override
    public List<String> jvmOptions() {
      return List.of(
          "-Dhazelgrad.plane.directory="
              + System.getProperty("java.io.tmpdir"), // Another one than the caller's.
          "-Dhazelgrad.plane.shared-bytes=0",
          "-Xmx1g");
    }
  },
  /** The latency and throughput of creating, using, sharing and deleting references. */
  RREF(2, with -> new RRefBench(with.caller, with.other(0), with.other(1), with.figures).run()),
  /** The memory of a reference. */
  MEMORY(1, with -> new MemoryBench(with.caller, with.other(0), with.figures).run()),
  /** The cost of a reference while many others are live; torch has no such benchmark. */
  SCALE(1, with -> new ScaleBench(with.caller, with.other(0), with.most, with.figures).run()) {
    @Override
    public List<String> jvmOptions() {
      return List.of("-Xmx4g");
    }
  },
  /** The cost of calls, references and passes with 2 to 8 workers; torch has no such benchmark. */
  WORKERS(
      1, with -> new WorkersBench(with.caller, with.other(0), with.processes, with.figures).run()),
  /** The time until a killed process is noticed; torch has no such benchmark. */
  FAILURE(
      2, with -> new FailureBench(with.caller, with.others, with.processes, with.figures).run()) {
    @Override
    public boolean killsWorkers() {
      return true;
    }
  },
  /** Calls of thin clients and of a member; torch has no such benchmark. */
  CLIENT(1, with -> new ClientBench(with.caller, with.other(0), with.figures).run()),
  /** The latency of forward and backward passes over calls. */
  AUTOGRAD(1, with -> new AutogradBench(with.caller, with.other(0), with.figures).run()),
  /** The latency of a training step of a split network. */
  MLP(1, with -> new MlpBench(with.caller, with.other(0), with.figures).run()),
  /** The throughput of a parameter server with two trainers. */
  PS(2, with -> new PsBench(with.caller, with.others, with.figures).run()),
  /** The time of joining, of a first call and of leaving. */
  STARTUP(3, with -> new StartupBench(with.caller, with.others, with.figures).run()),
  /** Operations within one process, for comparison. */
  LOCAL(0, with -> new LocalBench(with.figures).run()),
  /** The cost of the parts of calls, references and passes; torch has no such benchmark. */
  INNER(0, with -> new InnerBench(with.figures).run());

  /** The default of the most references that {@link #SCALE} keeps live. */
  public static final int MOST_LIVE = 100_000;

  private final int others;

  @SuppressWarnings("ImmutableEnumChecker") // Lambdas without state.
  private final Consumer<Setting> bench;

  BenchGroup(int others, Consumer<Setting> bench) {
    this.others = others;
    this.bench = bench;
  }

  /** The surroundings of a benchmark. */
  private record Setting(
      Grid caller,
      List<String> others,
      LocalCluster processes,
      int most,
      Consumer<Figure> figures) {
    String other(int index) {
      return others.get(index);
    }
  }

  /** Returns the names of the other workers that the group needs, each in a JVM of its own. */
  public List<String> others() {
    return IntStream.rangeClosed(1, others).mapToObj(i -> "w" + i).toList();
  }

  /** Returns further options of those JVMs. */
  public List<String> jvmOptions() {
    return List.of();
  }

  /** Returns whether the group kills and restarts workers. */
  public boolean killsWorkers() {
    return false;
  }

  /** Returns the name on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Measures the figures of the group.
   *
   * @param caller the worker that calls the others
   * @param processes the processes of the others, for a group that kills workers or starts more
   * @param most the most live references, for {@link #SCALE}
   */
  public void run(Grid caller, LocalCluster processes, int most, Consumer<Figure> figures) {
    bench.accept(new Setting(caller, others(), processes, most, figures));
  }
}
