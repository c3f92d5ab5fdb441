package io.hazelgrad.bench;

import io.hazelgrad.grid.Grid;
import java.util.function.Consumer;

/**
 * Groups of figures. Names, parameters and units are those of torch.distributed.rpc's benchmark.
 */
public enum BenchGroup {
  /** How long a call takes, and how many are made in a second. */
  LATENCY {
    @Override
    public void run(Grid caller, String callee, Consumer<Figure> figures) {
      new LatencyBench(caller, callee, figures).run();
    }
  },
  /** How fast tensors travel. */
  TRANSFER {
    @Override
    public void run(Grid caller, String callee, Consumer<Figure> figures) {
      new TransferBench(caller, callee, figures).run();
    }
  },
  /** How long the forward and the backward pass over calls take. */
  AUTOGRAD {
    @Override
    public void run(Grid caller, String callee, Consumer<Figure> figures) {
      new AutogradBench(caller, callee, figures).run();
    }
  };

  /** Measures calls from {@code caller} to the worker {@code callee}. */
  public abstract void run(Grid caller, String callee, Consumer<Figure> figures);
}
