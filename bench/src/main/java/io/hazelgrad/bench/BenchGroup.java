package io.hazelgrad.bench;

import io.hazelgrad.grid.Grid;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Groups of figures. Names, parameters and units are those of torch.distributed.rpc's benchmark.
 */
public enum BenchGroup {
  /** How long a call takes, and how many are made in a second. */
  LATENCY {
    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new LatencyBench(caller, others.get(0), figures).run();
    }
  },
  /** How fast tensors travel. */
  TRANSFER {
    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new TransferBench(caller, others.get(0), figures).run();
    }
  },
  /** How long references take to make, use, share and delete, and how many fit in a second. */
  RREF {
    @Override
    public List<String> others() {
      return List.of("w1", "w2");
    }

    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new RRefBench(caller, others.get(0), others.get(1), figures).run();
    }
  },
  /** How many bytes a reference takes. */
  MEMORY {
    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new MemoryBench(caller, others.get(0), figures).run();
    }
  },
  /** What a reference costs while many others are live; the peer has no such benchmark. */
  SCALE {
    @Override
    public List<String> jvmOptions() {
      return List.of("-Xmx4g");
    }

    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new ScaleBench(caller, others.get(0), most, figures).run();
    }
  },
  /** How soon a process that was killed is noticed; the peer has no such benchmark. */
  FAILURE {
    @Override
    public List<String> others() {
      return List.of("w1", "w2");
    }

    @Override
    public boolean killsWorkers() {
      return true;
    }

    @Override
    public void run(Grid caller, Processes processes, int most, Consumer<Figure> figures) {
      new FailureBench(caller, others(), processes, figures).run();
    }

    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      throw new IllegalStateException("it needs the processes");
    }
  },
  /** How long the forward and the backward pass over calls take. */
  AUTOGRAD {
    @Override
    void run(Grid caller, List<String> others, int most, Consumer<Figure> figures) {
      new AutogradBench(caller, others.get(0), figures).run();
    }
  };

  /** How many references {@link #SCALE} has live at most, unless asked for more. */
  public static final int MOST_LIVE = 100_000;

  /** Returns the names of the other workers that it needs, each in a JVM of its own. */
  public List<String> others() {
    return List.of("w1");
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
   * @param processes the others' processes, for a group that {@link #killsWorkers}
   * @param most how many references there shall be at most, if the group makes ever more
   */
  public void run(Grid caller, Processes processes, int most, Consumer<Figure> figures) {
    run(caller, others(), most, figures);
  }

  abstract void run(Grid caller, List<String> others, int most, Consumer<Figure> figures);
}
