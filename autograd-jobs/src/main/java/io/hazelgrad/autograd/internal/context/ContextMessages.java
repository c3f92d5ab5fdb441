package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.pass.PassTable;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What workers tell each other about contexts besides calls: that one was closed, how a pass was
 * decided that failed, what a message looked like that a plan needs, and which contexts are open.
 *
 * <p>A closed context is told from worker to worker along the ways that its messages took. What
 * does not arrive is found by the sweep: every worker asks the originators of its contexts now and
 * then.
 */
public final class ContextMessages {
  private static final Logger LOG = LoggerFactory.getLogger(ContextMessages.class);
  private static final String CLOSE = "autograd.close";
  private static final String DECIDED = "autograd.decided";
  private static final String COMMIT = "autograd.commit";
  private static final String SETTLE = "autograd.settle";
  private static final String DESCRIBE = "autograd.describe";
  private static final String OPEN = "autograd.open";
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /** A closed context of which a worker may not have heard. */
  private record Untold(ContextId context, Worker worker) {}

  /** A context younger than this is not asked about; its closing is probably under way. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final GridContext grid;
  private final ContextPeers peers;
  private final Contexts contexts;
  private final PassTable passes;

  /** Of a client, which cannot be asked when it has no open context. */
  private final Set<Untold> untold = ConcurrentHashMap.newKeySet();

  public ContextMessages(
      GridContext grid, ContextPeers peers, Contexts contexts, PassTable passes) {
    this.grid = grid;
    this.peers = peers;
    this.contexts = contexts;
    this.passes = passes;
    peers.serve(
        CLOSE,
        arguments -> {
          closed(id(arguments));
          return null;
        });
    peers.serve(
        DECIDED,
        arguments -> {
          WireInput in = new WireInput(bytes(arguments, 0));
          for (int count = in.count(3); count > 0; count--) {
            passes.learn(in.varint(), PassDecisions.read(in));
          }
          return null;
        });
    peers.serve(
        COMMIT,
        arguments -> {
          WireInput in = new WireInput(bytes(arguments, 0));
          passes.commit(in.varint(), PassDecisions.read(in));
          return null;
        });
    peers.serve(
        SETTLE,
        arguments -> {
          WireOutput out = new WireOutput();
          passes.close(longs(arguments, 0)[0]).write(out);
          return out.toBytes();
        });
    peers.serve(DESCRIBE, arguments -> describe(bytes(arguments, 0)));
    peers.serve(OPEN, arguments -> stillOpen(longs(arguments, 0)));
  }

  /** Closes a context that this worker opened. */
  public void close(ContextState state) {
    closed(state.id());
  }

  /** Closes a context here and at all workers that it went on to. */
  public void closed(ContextId id) {
    ContextState state = contexts.close(id);
    passes.dropContext(id);
    if (state == null) {
      return;
    }
    for (Worker peer : state.peers()) {
      if (peer.id() != grid.self().id() && peer.id() != id.originator()) { // Which knows.
        tellClosed(id, peer);
      }
    }
  }

  private void tellClosed(ContextId id, Worker peer) {
    var unused =
        tell(peer, CLOSE, List.of(id.originator(), id.sequence()))
            .thenAccept(
                told -> {
                  if (!told && grid.isClient() && grid.ended() == null) {
                    untold.add(new Untold(id, peer)); // A worker would be asked by the others.
                  }
                });
  }

  /**
   * Tells other workers how passes of some initiators were decided.
   *
   * @return a future that ends well when all have heard it or cannot be reached, with the ids of
   *     those that have heard it
   */
  public CompletableFuture<Set<Long>> decided(
      Collection<Worker> workers, Collection<Long> initiators) {
    WireOutput out = new WireOutput();
    out.varint(initiators.size());
    for (long initiator : initiators) {
      out.varint(initiator);
      passes.decisions(initiator).write(out);
    }
    Set<Long> heard = ConcurrentHashMap.newKeySet();
    return CompletableFuture.allOf(
            workers.stream()
                .filter(worker -> worker.id() != grid.self().id())
                .map(
                    worker ->
                        tell(worker, DECIDED, List.of(out.toBytes()))
                            .thenAccept(told -> note(worker, told, heard)))
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(nothing -> heard);
  }

  /**
   * Commits a pass of this worker in a context that another one opened: the originator must know of
   * it before anybody, so that it can say what became of the pass should this worker be lost.
   *
   * @throws GridException if the originator does not agree, or cannot be asked
   */
  public void commit(ContextId context, PassDecisions committed) {
    Worker originator = peers.find(context.originator());
    if (originator == null) {
      throw ContextState.closed(context);
    }
    WireOutput out = new WireOutput();
    out.varint(grid.self().id());
    committed.write(out);
    var unused =
        grid.await(grid.retrying(() -> peers.call(originator, COMMIT, args(out), DEADLINE)));
  }

  private static List<@Nullable Object> args(WireOutput out) {
    List<@Nullable Object> arguments = new ArrayList<>();
    arguments.add(out.toBytes());
    return arguments;
  }

  /** Asks originators in the background what a lost initiator has committed in their contexts. */
  public void settle(long initiator, Set<Long> originators) {
    for (long each : originators) {
      Worker originator = peers.find(each);
      if (originator != null) { // Else its contexts are over, and their passes with them.
        try {
          grid.background().execute(() -> settleNow(initiator, originator));
        } catch (RejectedExecutionException e) { // This grid is closing.
          LOG.debug("passes of worker {} are not settled", initiator, e);
        }
      }
    }
  }

  private void settleNow(long initiator, Worker originator) {
    try {
      byte[] answer =
          grid.await(
              peers.<byte[]>call(originator, SETTLE, List.of(new long[] {initiator}), DEADLINE));
      passes.settle(initiator, originator.id(), PassDecisions.read(new WireInput(answer)));
    } catch (GridException e) { // The next sweep asks again.
      LOG.debug("{} did not say what became of passes", originator.name(), e);
    }
  }

  private static void note(Worker worker, boolean told, Set<Long> heard) {
    if (told) {
      heard.add(worker.id());
    }
  }

  /**
   * Tells a worker something, on another thread, since this one may be bound to a context.
   *
   * @return a future that ends well in any case, with whether the worker has heard it
   */
  private CompletableFuture<Boolean> tell(Worker worker, String service, List<Object> arguments) {
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    try {
      grid.background().execute(() -> tellNow(worker, service, arguments, told));
    } catch (RejectedExecutionException e) { // The grid is closing; its loss tells the others.
      untold(worker, service, told, e);
    }
    return told;
  }

  private void tellNow(
      Worker worker, String service, List<Object> arguments, CompletableFuture<Boolean> told) {
    try {
      var unused =
          grid.retrying(() -> peers.call(worker, service, new ArrayList<>(arguments), DEADLINE))
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure == null) {
                      told.complete(true);
                    } else {
                      untold(worker, service, told, failure);
                    }
                  });
    } catch (GridException e) {
      untold(worker, service, told, e);
    }
  }

  private static void untold(
      Worker worker, String service, CompletableFuture<Boolean> told, Throwable why) {
    LOG.debug("{} did not reach {}", service, worker.name(), why);
    told.complete(false);
  }

  /** Asks the senders of messages for their descriptors, and adds the answers to the graph. */
  public void ask(ContextState state, Set<MessageId> missing, Duration left) {
    Duration timeout = left.compareTo(DEADLINE) < 0 ? left : DEADLINE;
    Map<Long, List<MessageId>> bySender =
        missing.stream().collect(Collectors.groupingBy(MessageId::worker));
    bySender.forEach(
        (sender, ids) -> {
          Worker worker = peers.find(sender);
          if (worker == null) {
            throw new GridException(
                Status.WORKER_LOST,
                "worker " + sender + " sent messages of the pass and has left: " + ids);
          }
          WireOutput out = new WireOutput();
          state.id().write(out);
          out.varint(ids.size());
          ids.forEach(id -> id.write(out));
          byte[] answer = grid.await(peers.<byte[]>call(worker, DESCRIBE, args(out), timeout));
          state.learn(MessageDescriptor.readAll(new WireInput(answer)));
          for (MessageId id : ids) {
            if (state.descriptor(id) == null) {
              throw new GridException(
                  Status.PASS_FAILED,
                  "worker " + worker.name() + " does not know message " + id + " that it sent");
            }
          }
        });
  }

  private byte[] describe(byte[] question) {
    WireInput in = new WireInput(question);
    ContextId id = ContextId.read(in);
    ContextState state = contexts.get(id);
    if (state == null) {
      throw ContextState.closed(id);
    }
    List<MessageDescriptor> found = new ArrayList<>();
    for (int count = in.count(2); count > 0; count--) {
      MessageDescriptor descriptor = state.descriptor(MessageId.read(in));
      if (descriptor != null) {
        found.add(descriptor);
      }
    }
    WireOutput out = new WireOutput();
    MessageDescriptor.writeAll(found, out);
    return out.toBytes();
  }

  /** A worker was lost: contexts that it opened are over, those too that were not heard of yet. */
  public void lost(long originator) {
    contexts.originatorLost(originator);
    for (ContextState state : contexts.all()) {
      if (state.id().originator() == originator) {
        closed(state.id());
      }
    }
  }

  /** Finds contexts that were closed, or whose originator is gone, without this worker hearing. */
  public void sweep() {
    tellAgain();
    Map<Long, List<ContextState>> foreign =
        contexts.all().stream()
            .filter(state -> state.id().originator() != grid.self().id())
            .filter(state -> state.ageNanos() > GRACE.toNanos())
            .collect(Collectors.groupingBy(state -> state.id().originator()));
    Set<Long> lost = contexts.lost();
    if (foreign.isEmpty() && lost.isEmpty()) {
      return;
    }
    Map<Long, Worker> living = peers.living();
    lost.stream().filter(living::containsKey).forEach(contexts::originatorLives);
    foreign.forEach(
        (originator, states) -> {
          Worker worker = living.get(originator);
          if (worker == null) {
            lost(originator);
          } else {
            try {
              askOpen(worker, states);
            } catch (GridException e) { // The next sweep asks again.
              LOG.debug("{} did not say which contexts are open", worker.name(), e);
            }
          }
        });
  }

  private void tellAgain() {
    for (Untold each : Set.copyOf(untold)) {
      untold.remove(each);
      if (peers.isLiving(each.worker())) {
        tellClosed(each.context(), each.worker());
      }
    }
  }

  private void askOpen(Worker originator, List<ContextState> states) {
    List<@Nullable Object> arguments = new ArrayList<>();
    arguments.add(states.stream().mapToLong(state -> state.id().sequence()).toArray());
    boolean[] open = grid.await(peers.<boolean[]>call(originator, OPEN, arguments, DEADLINE));
    for (int i = 0; i < states.size(); i++) {
      if (i < open.length && !open[i]) {
        closed(states.get(i).id());
      }
    }
  }

  private boolean[] stillOpen(long[] sequences) {
    boolean[] open = new boolean[sequences.length];
    for (int i = 0; i < open.length; i++) {
      open[i] = contexts.isOpen(new ContextId(grid.self().id(), sequences[i]));
    }
    return open;
  }

  /** This worker leaves: the contexts that it opened are over. */
  public void leave() {
    for (ContextState state : contexts.all()) {
      if (state.id().originator() == grid.self().id()) {
        closed(state.id());
      }
    }
  }

  private static ContextId id(List<@Nullable Object> arguments) {
    if (arguments.size() == 2
        && arguments.get(0) instanceof Long originator
        && arguments.get(1) instanceof Long sequence) {
      return new ContextId(originator, sequence);
    }
    throw bad(arguments);
  }

  private static byte[] bytes(List<@Nullable Object> arguments, int index) {
    if (arguments.size() > index && arguments.get(index) instanceof byte[] bytes) {
      return bytes;
    }
    throw bad(arguments);
  }

  private static long[] longs(List<@Nullable Object> arguments, int index) {
    if (arguments.size() > index && arguments.get(index) instanceof long[] longs) {
      return longs;
    }
    throw bad(arguments);
  }

  private static GridException bad(List<@Nullable Object> arguments) {
    return new GridException(Status.BAD_VALUE, "unexpected arguments " + arguments);
  }
}
