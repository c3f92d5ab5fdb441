package io.hazelgrad.grid.collective;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import java.util.List;

/**
 * Joins collectives of a grid. Threads: safe.
 *
 * <pre>{@code
 * try (Collective all = Collectives.on(grid).join("trainers", List.of("w0", "w1"))) {
 *   Tensor sum = all.allReduce(gradient, Reduction.SUM).join();
 * }
 * }</pre>
 */
public interface Collectives {
  /** Returns the collectives of a worker. */
  static Collectives on(Grid grid) {
    return grid.service(Collectives.class);
  }

  /** Joins with the default options. */
  default Collective join(String name, List<String> members) {
    return join(name, members, CollectiveOptions.defaults());
  }

  /**
   * Joins a collective, and waits until all members have called this method with the same name,
   * members and options. Costs about ten small calls, and shared memory of some MiB for each host.
   *
   * @param name the name of the collective; a worker joins it once at a time
   * @param members the names of all members, this worker among them; their order gives the ranks
   * @throws GridException BAD_ARGUMENT if the members or options are not those of the others, or a
   *     name occurs twice or this worker's is missing; UNKNOWN_WORKER; WORKER_LOST; TIMEOUT with
   *     the names of those that did not join
   */
  Collective join(String name, List<String> members, CollectiveOptions options);

  /** Returns the number of collectives that this worker has joined and not closed. */
  int joined();
}
