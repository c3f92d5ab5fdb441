package io.hazelgrad.grid.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One worker's membership in a named group of workers that combine and exchange tensors.
 *
 * <p><b>Rounds.</b> Every member calls the same methods in the same order with tensors of the same
 * types and shapes. The n-th calls of all members form round n. A round runs when all members have
 * called; rounds run one after the other. The results have the same bits on all members, whatever
 * the timing.
 *
 * <p><b>Transfer.</b> Members on one host exchange elements in memory that they share. Between
 * hosts, one member of each host takes part in a ring, whose parts travel as tensors of calls do:
 * by the tensor plane's sockets. A reduction of {@code b} bytes over {@code h} hosts sends {@code 2
 * b (h-1) / h} bytes from each host.
 *
 * <p><b>Errors.</b> A round that fails at one member ends the collective at all of them, since they
 * could not agree on the next round. All rounds under way and all later calls then fail with the
 * reason: WORKER_LOST with the name of a lost member, TIMEOUT with the names of members that did
 * not call, BAD_ARGUMENT if the members called different methods or with different shapes, CLOSED
 * if a member closed the collective. Close it and join again.
 *
 * <p><b>Waiting.</b> A thread that waits for a future with {@code join()} or {@code get()} runs the
 * round itself, which is the fastest way. Without such a thread, one of the collective runs it. The
 * stages that depend on a future run on the same thread, so they must be short.
 *
 * <p>Threads: safe. Calls by several threads at once have no defined order, so a collective is best
 * used by one thread.
 */
public interface Collective extends AutoCloseable {
  /** Returns the name. */
  String name();

  /** Returns the members in the order of their ranks. */
  List<Worker> members();

  /** Returns the number of members. */
  default int size() {
    return members().size();
  }

  /** Returns the place of this worker among the members, from 0. */
  int rank();

  /** Returns the number of hosts that the members are spread over. */
  int hosts();

  /**
   * Combines the tensors of all members element by element.
   *
   * @param tensors tensors of any shapes and element types but BOOL
   * @return the combined tensors, the same on all members
   * @throws GridException BAD_ARGUMENT for an element type that the reduction does not combine
   */
  CompletableFuture<List<Tensor>> allReduce(List<Tensor> tensors, Reduction reduction);

  /** Combines one tensor of each member, as {@link #allReduce(List, Reduction)}. */
  default CompletableFuture<Tensor> allReduce(Tensor tensor, Reduction reduction) {
    return allReduce(List.of(tensor), reduction).thenApply(all -> all.get(0));
  }

  /**
   * Combines an array of each member element by element, and writes the result into the array. This
   * is the fastest way for large data: no memory is taken and cleared for a result. It is the same
   * round as {@link #allReduce(Tensor, Reduction)} of a tensor of one dimension, so a member may
   * call the one and another member the other.
   *
   * <p>Nobody may use the array until the future has ended, nor a tensor that {@link Tensor#wrap}
   * has made of it. After a failure the array holds elements of before and after in any mixture.
   * Ending the future does not end the round: after {@code cancel} or {@code orTimeout} the array
   * may still be written.
   *
   * @throws GridException BAD_ARGUMENT if the reduction does not combine the elements
   */
  CompletableFuture<@Nullable Void> allReduceInPlace(float[] elements, Reduction reduction);

  /** Combines arrays of doubles, as {@link #allReduceInPlace(float[], Reduction)}. */
  CompletableFuture<@Nullable Void> allReduceInPlace(double[] elements, Reduction reduction);

  /**
   * Combines the tensors of all members, and gives each member one part: of each tensor the rows
   * from {@code rank * rows / size} on, where rows is the extent of its first dimension.
   *
   * @throws GridException BAD_ARGUMENT if the number of members does not divide an extent, or for
   *     an element type that the reduction does not combine
   */
  CompletableFuture<List<Tensor>> reduceScatter(List<Tensor> tensors, Reduction reduction);

  /** Combines one tensor of each member, as {@link #reduceScatter(List, Reduction)}. */
  default CompletableFuture<Tensor> reduceScatter(Tensor tensor, Reduction reduction) {
    return reduceScatter(List.of(tensor), reduction).thenApply(all -> all.get(0));
  }

  /** Returns the tensors of each member, in the order of the ranks. */
  CompletableFuture<List<List<Tensor>>> allGather(List<Tensor> tensors);

  /** Returns the tensor of each member, in the order of the ranks. */
  default CompletableFuture<List<Tensor>> allGather(Tensor tensor) {
    return allGather(List.of(tensor))
        .thenApply(all -> all.stream().map(each -> each.get(0)).toList());
  }

  /**
   * Returns the tensors of one member on all of them. The others give tensors of the same types and
   * shapes, whose elements do not matter.
   *
   * @param root the rank of the member whose tensors count
   * @throws GridException BAD_ARGUMENT if there is no such rank
   */
  CompletableFuture<List<Tensor>> broadcast(List<Tensor> tensors, int root);

  /** Waits until all members have called this method. */
  CompletableFuture<@Nullable Void> barrier();

  /**
   * Sends tensors to one member, which takes them by {@link #receive} with the same tag. Sends and
   * receives are independent of rounds. A tag may be used again when its tensors were received.
   *
   * @return a future that ends when the receiver has the tensors, though it may not have asked yet
   * @throws GridException BAD_ARGUMENT if there is no such rank
   */
  CompletableFuture<@Nullable Void> send(int to, long tag, List<Tensor> tensors);

  /**
   * Takes tensors that a member sends to this one, and waits for them up to the timeout of the
   * collective.
   *
   * @throws GridException BAD_ARGUMENT if there is no such rank; TIMEOUT; why the collective ended
   */
  List<Tensor> receive(int from, long tag);

  /**
   * Returns the time, in nanoseconds, in which rounds that have ended here could do nothing because
   * another member was behind.
   */
  long nanosWaited();

  /**
   * Notes the last steps of a training that uses this collective, which {@link
   * io.hazelgrad.grid.waits.Waits} shows until the collective is closed. {@code DataParallel} and
   * {@code Pipeline} do so by themselves.
   */
  void noteSteps(TrainingSteps last);

  /** Returns the bytes of elements that this member has written for others to read. */
  long bytesSent();

  /**
   * Leaves the collective, and waits until what was sent has arrived. Rounds that have ended here
   * end at the other members too; later ones fail at all members with CLOSED.
   */
  @Override
  void close();
}
