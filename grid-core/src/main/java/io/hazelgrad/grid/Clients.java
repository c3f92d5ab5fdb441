package io.hazelgrad.grid;

import com.hazelcast.client.Client;
import com.hazelcast.client.impl.ClientEngineImpl;
import com.hazelcast.client.impl.operations.GetConnectedClientsOperation;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryRemovedListener;
import com.hazelcast.spi.impl.operationservice.OperationService;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients of the grid as one member sees them: the map {@code hazelgrad.clients} from a
 * client's id to what callees see of it. A client enters itself, and takes its entry out when it
 * closes; the worker on the oldest member takes out the entries of those that {@link ClientWatch}
 * finds lost. To all members, a client is gone when its entry is: they hear of that once, by an
 * event, or if that gets lost by comparing what they know with the map.
 *
 * <p>That a member lost a connection says little: a client has one to each member and makes them
 * anew. So the oldest member looks which clients it has no connection of itself, and asks all
 * others for these.
 *
 * <p>Threads: safe.
 */
final class Clients {
  static final String CLIENTS = "hazelgrad.clients";

  private static final Logger LOG = LoggerFactory.getLogger(Clients.class);
  private static final long ANSWER_MILLIS = 1000;
  private static final int MAX_GONE = 10_000;
  private static final int LOOKS = 5;
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  private final HazelcastInstance hazelcast;
  private final Directory directory;
  private final OperationService operations;
  private final Duration period;
  private final ClientWatch watch;
  private final Consumer<Worker> goneListener;
  private final IMap<Long, Worker> map;
  private final Map<Long, Worker> known = new ConcurrentHashMap<>();
  private final List<UUID> listeners;
  private final ReentrantLock looking = new ReentrantLock();

  /** The last ones that went, whose late requests are refused; and in which order they did. */
  private final Set<Long> gone = ConcurrentHashMap.newKeySet();

  private final Deque<Long> oldest = new ArrayDeque<>();

  /**
   * Makes the view of a member.
   *
   * @param goneListener hears once of each client that closed or was lost
   */
  Clients(
      HazelcastInstance hazelcast,
      Directory directory,
      Duration grace,
      Consumer<Worker> goneListener) {
    this.hazelcast = hazelcast;
    this.directory = directory;
    this.operations = HazelcastTransport.operations(hazelcast);
    this.period = grace.dividedBy(LOOKS);
    this.watch = new ClientWatch(grace);
    this.goneListener = goneListener;
    this.map = hazelcast.getMap(CLIENTS);
    this.listeners =
        List.of(
            map.addEntryListener(
                (EntryAddedListener<Long, Worker>) event -> entered(event.getValue()), true),
            map.addEntryListener(
                (EntryRemovedListener<Long, Worker>) event -> left(event.getOldValue()), true));
    reconcile();
  }

  private synchronized void entered(Worker client) {
    if (!isGone(client.id())) {
      known.put(client.id(), client);
    }
  }

  private void left(Worker client) {
    synchronized (this) {
      if (gone.add(client.id())) {
        oldest.addLast(client.id());
      }
      if (oldest.size() > MAX_GONE) {
        gone.remove(oldest.removeFirst());
      }
      if (known.remove(client.id()) == null) {
        return; // It was told before.
      }
    }
    goneListener.accept(client);
  }

  /** Returns whether a client has closed or was lost, as far as it is remembered. */
  boolean isGone(long id) {
    return gone.contains(id);
  }

  /** Returns the clients, in no order. */
  Collection<Worker> all() {
    return List.copyOf(known.values());
  }

  /** Returns how often to look: a grace is looked at a few times, at least once a second. */
  Duration period() {
    return period.compareTo(LONGEST_PERIOD) > 0 ? LONGEST_PERIOD : period;
  }

  /** Compares what is known with the map: an event may have been lost. */
  void reconcile() {
    Collection<Worker> before = all();
    Collection<Worker> entries = map.values();
    entries.forEach(this::entered);
    before.stream().filter(client -> !entries.contains(client)).forEach(this::left);
  }

  /** Looks for clients that are lost, if that is for this member to decide. */
  void look() {
    if (!looking.tryLock()) {
      return; // The last look still waits for an answer.
    }
    try {
      if (known.isEmpty() || !decides()) {
        watch.rest();
        return;
      }
      long now = System.nanoTime();
      Collection<Worker> registered = all();
      Set<UUID> connected = connectedHere();
      boolean complete =
          registered.stream().allMatch(client -> connected.contains(client.incarnation()))
              || addConnectedElsewhere(connected);
      for (Worker client : watch.look(registered, connected, complete, now)) {
        if (map.remove(client.id(), client)) {
          LOG.warn("client {} is lost: no member has a connection of it", client.name());
        }
      }
    } finally {
      looking.unlock();
    }
  }

  /** The worker on the oldest member decides. */
  private boolean decides() {
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (directory.on(member.getUuid()) != null) {
        return member.localMember();
      }
    }
    return false;
  }

  private Set<UUID> connectedHere() {
    Set<UUID> connected = new HashSet<>();
    for (Client client : hazelcast.getClientService().getConnectedClients()) {
      connected.add(client.getUuid());
    }
    return connected;
  }

  /** Asks all other members; false if one did not answer. */
  private boolean addConnectedElsewhere(Set<UUID> connected) {
    List<CompletableFuture<Map<UUID, String>>> answers = new ArrayList<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (!member.localMember()) {
        answers.add(ask(member).orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS));
      }
    }
    boolean complete = true;
    for (CompletableFuture<Map<UUID, String>> answer : answers) {
      try {
        connected.addAll(answer.join().keySet());
      } catch (CompletionException e) {
        LOG.debug("a member did not say which clients it has", e);
        complete = false;
      }
    }
    return complete;
  }

  private CompletableFuture<Map<UUID, String>> ask(Member member) {
    CompletableFuture<Map<UUID, String>> answer = new CompletableFuture<>();
    var unused =
        operations
            .<Map<UUID, String>>invokeOnTarget(
                ClientEngineImpl.SERVICE_NAME,
                new GetConnectedClientsOperation(),
                member.getAddress())
            .whenCompleteAsync(
                (clients, failure) -> {
                  if (failure == null) {
                    answer.complete(clients);
                  } else {
                    answer.completeExceptionally(failure);
                  }
                },
                Runnable::run);
    return answer;
  }

  /** Makes the failure of what a client does after it was declared lost. */
  static GridException fenced(Worker client) {
    return new GridException(
        Status.FENCED,
        "client "
            + client.name()
            + " (id "
            + client.id()
            + ") was lost to the grid: for the whole clientGrace no member had a connection of it."
            + " What it held has been let go; it goes on as another incarnation, so get what"
            + " calls and references need anew from the same client");
  }

  void close() {
    listeners.forEach(map::removeEntryListener);
  }
}
