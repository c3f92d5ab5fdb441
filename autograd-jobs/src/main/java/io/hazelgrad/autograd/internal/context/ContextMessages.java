package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.pass.Arguments;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages about contexts that workers exchange besides calls: a context was closed, a plan
 * needs the descriptor of a message, and a worker asks which contexts are open.
 *
 * <p>Closing a context is passed on from worker to worker along the routes of its messages. A sweep
 * finds undelivered closings: every worker asks the originators of its contexts. Threads: safe.
 */
public final class ContextMessages {
  private static final Logger LOG = LoggerFactory.getLogger(ContextMessages.class);
  private static final String CLOSE = "autograd.close";
  private static final String DESCRIBE = "autograd.describe";
  private static final String OPEN = "autograd.open";

  /** A closed context, and a worker that may not know of the closing. */
  private record Untold(ContextId context, Worker worker) {}

  /** The least age of a context that the sweep asks about; a younger one may be closing now. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final GridContext grid;
  private final ContextPeers peers;
  private final Contexts contexts;
  private final DecisionTable passes;

  /** Filled by clients only: a client without open contexts cannot be asked by the others. */
  private final Set<Untold> untold = ConcurrentHashMap.newKeySet();

  public ContextMessages(
      GridContext grid, ContextPeers peers, Contexts contexts, DecisionTable passes) {
    this.grid = grid;
    this.peers = peers;
    this.contexts = contexts;
    this.passes = passes;
    peers.serve(
        CLOSE,
        arguments -> {
          close(id(arguments));
          return null;
        });
    peers.serve(DESCRIBE, arguments -> describe(Arguments.bytes(arguments)));
    peers.serve(OPEN, arguments -> stillOpen(Arguments.longs(arguments)));
  }

  /** Closes a context here and at all workers that its messages went to. */
  public void close(ContextId id) {
    ContextState state = contexts.close(id);
    passes.dropContext(id);
    if (state == null) {
      return;
    }
    for (Worker peer : state.peers()) {
      if (peer.id() != grid.self().id() && peer.id() != id.originator()) { // It knows already.
        tellClosed(id, peer);
      }
    }
  }

  private void tellClosed(ContextId id, Worker peer) {
    var unused =
        peers
            .tell(peer, CLOSE, List.of(id.originator(), id.sequence()))
            .thenAccept(
                told -> {
                  if (!told && grid.isClient() && grid.ended() == null) {
                    untold.add(new Untold(id, peer)); // The others would ask a worker.
                  }
                });
  }

  /** Asks the senders of messages for their descriptors, and adds the answers to the graph. */
  public void ask(ContextState state, Set<MessageId> missing, Duration left) {
    Duration timeout = left.compareTo(ContextPeers.DEADLINE) < 0 ? left : ContextPeers.DEADLINE;
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
          Contexts.write(state.id(), out);
          out.varint(ids.size());
          ids.forEach(id -> id.write(out));
          byte[] answer =
              grid.await(peers.<byte[]>call(worker, DESCRIBE, Arguments.of(out), timeout));
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
    ContextId id = Contexts.readId(in);
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

  /**
   * Closes the contexts of a lost worker here, including those that are not known here yet. The
   * others are not told, because it may be this worker that is cut off.
   */
  public void lost(long originator) {
    contexts.originatorLost(originator);
    for (ContextId id : openedBy(originator)) {
      contexts.close(id);
      passes.dropContext(id);
    }
  }

  /** Closes the contexts of this worker, which leaves. */
  public void leave() {
    openedBy(grid.self().id()).forEach(this::close);
  }

  private List<ContextId> openedBy(long originator) {
    Stream<ContextId> open = contexts.all().stream().map(ContextState::id);
    return open.filter(id -> id.originator() == originator).toList();
  }

  /** Closes contexts whose closing, or whose originator's loss, did not reach this worker. */
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
    Map<Long, Worker> living = grid.directory().livingAndClients();
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
    List<@Nullable Object> arguments =
        Arguments.one(states.stream().mapToLong(state -> state.id().sequence()).toArray());
    boolean[] open =
        grid.await(peers.<boolean[]>call(originator, OPEN, arguments, ContextPeers.DEADLINE));
    for (int i = 0; i < states.size(); i++) {
      if (i < open.length && !open[i]) {
        close(states.get(i).id());
      }
    }
  }

  private boolean[] stillOpen(long[] sequences) {
    boolean[] open = new boolean[sequences.length];
    for (int i = 0; i < open.length; i++) {
      open[i] = contexts.get(new ContextId(grid.self().id(), sequences[i])) != null;
    }
    return open;
  }

  private static ContextId id(List<@Nullable Object> arguments) {
    if (arguments.size() == 2
        && arguments.get(0) instanceof Long originator
        && arguments.get(1) instanceof Long sequence) {
      return new ContextId(originator, sequence);
    }
    throw Arguments.unexpected(arguments);
  }
}
