package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Remote references of one grid, or of a client of one: makes objects on workers and returns an
 * {@link RRef} to each.
 *
 * <pre>{@code
 * RRefs rrefs = RRefs.on(grid);
 * try (RRef<Counter> counter = rrefs.remote("w1", Counter::new)) {
 *   int count = counter.sync(Counter::add, 3);
 * }
 * }</pre>
 *
 * <p>Applications use this interface and do not implement it. Threads: safe.
 */
public interface RRefs extends RemoteCreation {
  /** Returns the remote references of a grid. */
  static RRefs on(GridAccess grid) {
    return grid.service(RRefs.class);
  }

  /** Calls a function on this incarnation of a worker; its result stays there. */
  <R extends @Nullable Object> RRef<R> remote(
      Worker to, Function<R> function, @Nullable Object... arguments);

  /**
   * Makes a reference to an object of this worker. The registry learns of it when it is first sent
   * to another worker. Handles inside the object keep their scope: those of a called function need
   * {@link RRef#keep()}.
   *
   * @throws GridException CLOSED if this grid has been closed; REJECTED if {@link RRefOptions} has
   *     no room for it; RREF_NOT_OWNER on a client
   */
  @Override
  <T extends @Nullable Object> RRef<T> local(T value);

  /**
   * Returns the calls that make durable objects. Two workers store the value of such an object, and
   * another worker becomes its owner when the owner dies or leaves.
   */
  DurableRRefs durable(Durability durability);

  /** Returns the number of RRefs in the grid's registry that have handles. Asks every member. */
  int liveCount();

  /**
   * Returns a row for each open handle that passes a filter, in the order of the holders, clients
   * last. Asks the living workers one after the other, and leaves out those that do not answer
   * within 5 s. Each worker looks through its handles once for every 4,096 rows. For each other
   * client the registry is searched.
   */
  List<HeldRRef> find(RRefFilter filter);

  /**
   * Returns how much each living worker owns and holds, in the order of their ids. Asks them all at
   * once, and leaves out those that do not answer within 5 s. Cheap.
   */
  List<RRefTotals> totals();

  /** Returns the number of handles that this worker holds and has not released. */
  int handleCount();

  /** Returns the number of objects that this worker owns. */
  int objectCount();
}
