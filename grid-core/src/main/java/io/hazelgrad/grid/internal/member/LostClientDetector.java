package io.hazelgrad.grid.internal.member;

import com.hazelcast.client.Client;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
 * <p>That a member lost a connection says little: a client has one to each member and makes them
 * anew. So the deciding member looks a few times within the grace which clients it has no
 * connection of itself, asks all other members for these, and lets {@link ClientLiveness} judge.
 *
 * <p>Threads: safe.
 */
public final class LostClientDetector {
  private static final Logger LOG = LoggerFactory.getLogger(LostClientDetector.class);
  private static final long ANSWER_MILLIS = 1000;
  private static final int LOOKS = 5;
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  private final HazelcastInstance hazelcast;
  private final Directory directory;
  private final ClientDirectory clients;
  private final Function<Member, CompletableFuture<Set<UUID>>> connectedClients;
  private final Duration period;
  private final ClientLiveness watch;
  private final ReentrantLock looking = new ReentrantLock();

  /**
   * Makes the detector of a member.
   *
   * @param connectedClients asks another member for the UUIDs of its clients
   */
  public LostClientDetector(
      HazelcastInstance hazelcast,
      Directory directory,
      ClientDirectory clients,
      Duration grace,
      Function<Member, CompletableFuture<Set<UUID>>> connectedClients) {
    this.hazelcast = hazelcast;
    this.directory = directory;
    this.clients = clients;
    this.connectedClients = connectedClients;
    Duration part = grace.dividedBy(LOOKS);
    this.period = part.compareTo(LONGEST_PERIOD) > 0 ? LONGEST_PERIOD : part;
    this.watch = new ClientLiveness(grace);
  }

  /** Returns how often to look. */
  public Duration period() {
    return period;
  }

  /**
   * Looks for clients that are lost, if that is for this member to decide. Waits for the other
   * members' answers, at most a second.
   */
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
      Set<UUID> connected = connectedHere();
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
        clients
            .remove(client)
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
    for (Member member : hazelcast.getCluster().getMembers()) { // The oldest comes first.
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
    List<CompletableFuture<Set<UUID>>> answers = new ArrayList<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (!member.localMember()) {
        answers.add(connectedClients.apply(member).orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS));
      }
    }
    boolean complete = true;
    for (CompletableFuture<Set<UUID>> answer : answers) {
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
