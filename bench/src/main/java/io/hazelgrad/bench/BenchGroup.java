package io.hazelgrad.bench;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.LocalCluster;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Groups of figures. Names, parameters and units are those of torch.distributed.rpc's benchmark,
 * which has no groups scale, workers, failure, client, jobs, secret and inner.
 */
@SuppressWarnings("ImmutableEnumChecker") // Unmodifiable lists, functions without state.
enum BenchGroup {
  LATENCY(1, LatencyBench::new),
  TRANSFER(1, setting -> new TransferBench(setting, true)),
  SOCKETS(
      1,
      setting -> new TransferBench(setting, false),
      // Without shared memory, as on two hosts: another directory than the caller's.
      "-Dhazelgrad.plane.directory=" + System.getProperty("java.io.tmpdir"),
      "-Dhazelgrad.plane.shared-bytes=0",
      "-Xmx1g"),
  RREF(2, RRefBench::new),
  MEMORY(1, MemoryBench::new),
  SCALE(1, ScaleBench::new, "-Xmx4g"),
  WORKERS(1, WorkersBench::new),
  FAILURE(2, FailureBench::new),
  CLIENT(1, ClientBench::new),
  AUTOGRAD(1, AutogradBench::new),
  MLP(1, MlpBench::new),
  DDP(1, setting -> new DdpBench(setting, true), "-Xmx1g"),
  DDP_SOCKETS(
      1,
      setting -> new DdpBench(setting, false),
      "-Dhazelgrad.plane.directory=" + System.getProperty("java.io.tmpdir"),
      "-Dhazelgrad.plane.shared-bytes=0",
      "-Xmx1g"),
  JOBS(1, JobsBench::new),
  PS(2, PsBench::new),
  STARTUP(3, StartupBench::new),
  LOCAL(0, LocalBench::new),
  GPU(0, GpuBench::new),
  SECRET(0, SecretBench::new),
  INNER(0, InnerBench::new);

  /** The names of the other workers that the group needs, each in a JVM of its own. */
  final List<String> others;

  private final Function<Bench.Setting, Bench> bench;
  final List<String> jvmOptions;

  BenchGroup(int others, Function<Bench.Setting, Bench> bench, String... jvmOptions) {
    this.others = IntStream.rangeClosed(1, others).mapToObj(i -> "w" + i).toList();
    this.bench = bench;
    this.jvmOptions = List.of(jvmOptions);
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Measures the figures of the group; {@link Bench.Setting} has the parameters. */
  void run(Grid caller, LocalCluster processes, int most, Consumer<Figure> figures) {
    bench.apply(new Bench.Setting(caller, others, processes, most, figures)).run(label());
  }
}
