package io.hazelgrad.bench;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.LocalCluster;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Groups of figures. Names, parameters and units are those of torch.distributed.rpc's benchmark.
 */
@SuppressWarnings("ImmutableEnumChecker") // Unmodifiable lists, functions without state.
enum BenchGroup {
  /** The latency and throughput of calls. */
  LATENCY(1, LatencyBench::new),
  /** The transfer of tensors. */
  TRANSFER(1, setting -> new TransferBench(setting, true)),
  /** The transfer of tensors between workers without shared memory, as on two hosts. */
  SOCKETS(
      1,
      setting -> new TransferBench(setting, false),
      // Another directory than the caller's.
      "-Dhazelgrad.plane.directory=" + System.getProperty("java.io.tmpdir"),
      "-Dhazelgrad.plane.shared-bytes=0",
      "-Xmx1g"),
  /** The latency and throughput of creating, using, sharing and deleting references. */
  RREF(2, RRefBench::new),
  /** The memory of a reference. */
  MEMORY(1, MemoryBench::new),
  /** The cost of a reference while many others are live; torch has no such benchmark. */
  SCALE(1, ScaleBench::new, "-Xmx4g"),
  /** The cost of calls, references and passes with 2 to 8 workers; torch has no such benchmark. */
  WORKERS(1, WorkersBench::new),
  /** The time until a killed process is noticed; torch has no such benchmark. */
  FAILURE(2, FailureBench::new),
  /** Calls of thin clients and of a member; torch has no such benchmark. */
  CLIENT(1, ClientBench::new),
  /** The latency of forward and backward passes over calls. */
  AUTOGRAD(1, AutogradBench::new),
  /** The latency of a training step of a split network. */
  MLP(1, MlpBench::new),
  /** The throughput of a parameter server with two trainers. */
  PS(2, PsBench::new),
  /** The time of joining, of a first call and of leaving. */
  STARTUP(3, StartupBench::new),
  /** Operations within one process, for comparison. */
  LOCAL(0, LocalBench::new),
  /** The cost of the parts of calls, references and passes; torch has no such benchmark. */
  INNER(0, InnerBench::new);

  private final List<String> others;

  private final Function<Bench.Setting, Bench> bench;
  private final List<String> jvmOptions;

  BenchGroup(int others, Function<Bench.Setting, Bench> bench, String... jvmOptions) {
    this.others = IntStream.rangeClosed(1, others).mapToObj(i -> "w" + i).toList();
    this.bench = bench;
    this.jvmOptions = List.of(jvmOptions);
  }

  /** Returns the names of the other workers that the group needs, each in a JVM of its own. */
  List<String> others() {
    return others;
  }

  /** Returns further options of those JVMs. */
  List<String> jvmOptions() {
    return jvmOptions;
  }

  /** Returns the name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Measures the figures of the group; {@link Bench.Setting} has the parameters. */
  void run(Grid caller, LocalCluster processes, int most, Consumer<Figure> figures) {
    bench.apply(new Bench.Setting(caller, others, processes, most, figures)).run(label());
  }
}
