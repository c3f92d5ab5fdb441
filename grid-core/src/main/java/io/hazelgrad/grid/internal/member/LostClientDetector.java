package io.hazelgrad.grid.internal.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the clients that are lost, on the one member that decides: the oldest that is a worker.
 *
 * <p>A client has a connection to each member and renews it, so a lost one says little. The
 * deciding member looks a few times within the grace which clients it has no connection of, asks
 * all other members for these, and lets {@link ClientLiveness} judge. Threads: safe.
 */
public final class LostClientDetector {
  private static final Logger LOG = LoggerFactory.getLogger(LostClientDetector.class);
  private static final long ANSWER_MILLIS = 1000;
  private static final int LOOKS = 5;
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  private final HazelcastInstance hazelcast;
  private final Directory directory;
  private final ClientDirectory clients;
  private final Function<Member, CompletableFuture<List<UUID>>> connectedClients;
  private final Duration period;
  private final ClientLiveness watch;
  private final ReentrantLock looking = new ReentrantLock();

  /** Creates a detector; {@code connectedClients} asks a member for the UUIDs of its clients. */
  public LostClientDetector(
      HazelcastInstance hazelcast,
      Directory directory,
      ClientDirectory clients,
      Duration grace,
      Function<Member, CompletableFuture<List<UUID>>> connectedClients) {
    this.hazelcast = hazelcast;
    this.directory = directory;
    this.clients = clients;
    this.connectedClients = connectedClients;
    this.period = Collections.min(List.of(grace.dividedBy(LOOKS), LONGEST_PERIOD));
    this.watch = new ClientLiveness(grace);
  }

  public Duration period() {
    return period;
  }

  /** Looks for lost clients if this member decides; waits for answers for at most a second. */
  public void look() {
    if (!looking.tryLock()) {
      return; // The last look still waits for an answer.
    }
    try {
      Collection<Worker> registered = clients.all();
      if (registered.isEmpty() || !decides()) {
        watch.rest();
        return;
      }
      long now = System.nanoTime();
      Set<UUID> connected = new HashSet<>();
      hazelcast.getClientService().getConnectedClients().forEach(it -> connected.add(it.getUuid()));
      boolean complete =
          registered.stream().allMatch(client -> connected.contains(client.incarnation()))
              || addConnectedElsewhere(connected);
      watch.look(registered, connected, complete, now).forEach(this::declareLost);
    } finally {
      looking.unlock();
    }
  }

  /** Does not wait: a frozen member may hold the entry. If it fails the next look does it again. */
  private void declareLost(Worker client) {
    var unused =
        ClientDirectory.leave(hazelcast, client)
            .whenComplete(
                (removed, failure) -> {
                  if (failure != null) {
                    LOG.debug("client {} could not be declared lost yet", client.name(), failure);
                  } else if (removed != null) {
                    LOG.warn(
                        "client {} (id {}) is lost: no member has a connection of it",
                        client.name(),
                        client.id());
                  }
                });
  }

  private boolean decides() {
    return hazelcast.getCluster().getMembers().stream() // The oldest comes first.
        .filter(member -> directory.on(member.getUuid()) != null)
        .findFirst()
        .map(Member::localMember)
        .orElse(false);
  }

  /** Asks all other members; false if one did not answer. */
  private boolean addConnectedElsewhere(Set<UUID> connected) {
    List<CompletableFuture<List<UUID>>> answers =
        hazelcast.getCluster().getMembers().stream()
            .filter(member -> !member.localMember())
            .map(connectedClients)
            .map(answer -> answer.orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS))
            .toList();
    boolean complete = true;
    for (CompletableFuture<List<UUID>> answer : answers) {
      try {
        connected.addAll(answer.join());
      } catch (CompletionException e) {
        LOG.debug("a member did not say which clients it has", e);
        complete = false;
      }
    }
    return complete;
  }
}
