package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.context.ContextPeers;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.pass.Arguments;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages about decisions that workers exchange besides calls: an initiator tells its aborts,
 * commits in the context of another worker, or is lost, so that its passes must be settled.
 * Threads: safe.
 */
public final class DecisionMessages {
  private static final Logger LOG = LoggerFactory.getLogger(DecisionMessages.class);
  private static final String DECIDED = "autograd.decided";
  private static final String COMMIT = "autograd.commit";
  private static final String SETTLE = "autograd.settle";

  /** The service that returns the number of the next pass that its worker begins. */
  public static final String NEXT = "autograd.next";

  private final GridContext grid;
  private final ContextPeers peers;
  private final PassTable passes;

  public DecisionMessages(GridContext grid, ContextPeers peers, PassTable passes) {
    this.grid = grid;
    this.peers = peers;
    this.passes = passes;
    peers.serve(
        DECIDED,
        arguments -> {
          WireInput in = new WireInput(Arguments.bytes(arguments));
          for (int count = in.count(3); count > 0; count--) {
            passes.learn(in.varint(), PassDecisions.read(in));
          }
          return null;
        });
    peers.serve(
        COMMIT,
        arguments -> {
          WireInput in = new WireInput(Arguments.bytes(arguments));
          passes.commit(in.varint(), in.varint(), PassDecisions.read(in));
          return null;
        });
    peers.serve(
        SETTLE,
        arguments -> {
          WireOutput out = new WireOutput();
          passes.close(Arguments.longs(arguments)[0]).write(out);
          return out.toBytes();
        });
  }

  /**
   * Tells other workers the decisions of some initiators. The result never fails: it ends when each
   * worker was told or cannot be reached, with the ids of those that were told.
   */
  public CompletableFuture<Set<Long>> tell(
      Collection<Worker> workers, Collection<Long> initiators) {
    WireOutput out = new WireOutput();
    out.varint(initiators.size());
    for (long initiator : initiators) {
      out.varint(initiator);
      passes.decisions(initiator).write(out);
    }
    Map<Long, CompletableFuture<Boolean>> told = new HashMap<>();
    for (Worker worker : workers) {
      if (worker.id() != grid.self().id()) {
        told.put(worker.id(), peers.tell(worker, DECIDED, List.of(out.toBytes())));
      }
    }
    return CompletableFuture.allOf(told.values().toArray(CompletableFuture<?>[]::new))
        .thenApply(
            nothing -> {
              told.values().removeIf(each -> !each.join());
              return told.keySet();
            });
  }

  /**
   * Commits a pass of this worker in a context of another worker. The originator of the context
   * must know of the commit before the participants, so that it can settle the pass if this worker
   * is lost. Throws if the originator does not agree, or cannot be asked.
   *
   * @param committed the decisions of this worker, with the pass {@code number} committed
   */
  public void commit(ContextId context, long number, PassDecisions committed) {
    Worker originator = peers.find(context.originator());
    if (originator == null) {
      throw ContextState.closed(context);
    }
    WireOutput out = new WireOutput();
    out.varint(grid.self().id()).varint(number);
    committed.write(out);
    var unused =
        grid.await(
            grid.retrying(
                () -> peers.call(originator, COMMIT, Arguments.of(out), ContextPeers.DEADLINE)));
  }

  /** Asks originators in the background what a lost initiator committed in their contexts. */
  public void settle(long initiator, Set<Long> originators) {
    for (long each : originators) {
      Worker originator = peers.find(each);
      if (originator != null) { // Otherwise its contexts are closed, and their passes dropped.
        try {
          grid.background().execute(() -> settleNow(initiator, originator));
        } catch (RejectedExecutionException e) { // This grid is closing.
          LOG.debug("passes of worker {} are not settled", initiator, e);
        }
      }
    }
  }

  /**
   * Asks initiators that were taken for lost by mistake for the number of their next pass. Earlier
   * ones stay aborted; from it on they can commit again.
   */
  public void reopen() {
    Set<Long> closed = passes.closed();
    Map<Long, Worker> living = closed.isEmpty() ? Map.of() : grid.directory().living();
    for (long each : closed) {
      Worker initiator = living.get(each); // A client that was lost does not come back.
      if (initiator != null) {
        try {
          Long next = grid.await(peers.call(initiator, NEXT, List.of(), ContextPeers.DEADLINE));
          passes.reopen(each, next);
        } catch (GridException e) { // The next sweep asks again.
          LOG.debug("{} did not say what its next pass is", initiator.name(), e);
        }
      }
    }
  }

  private void settleNow(long initiator, Worker originator) {
    try {
      List<@Nullable Object> arguments = Arguments.one(new long[] {initiator});
      byte[] answer =
          grid.await(peers.<byte[]>call(originator, SETTLE, arguments, ContextPeers.DEADLINE));
      passes.settle(initiator, originator.id(), PassDecisions.read(new WireInput(answer)));
    } catch (GridException e) { // The next sweep asks again.
      LOG.debug("{} did not say which passes were committed", originator.name(), e);
    }
  }
}
