package io.hazelgrad.grid.internal.quorum;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.ClusterState;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges the sides of a grid after a cut. Each member asks the members that it has lost for their
 * reports, again and again; {@link Report#mergesInto} says which side merges into the other. A
 * member that holds the quorum asks, too, since a process that was started anew inside the cut does
 * not know its address. That process then merges by itself.
 *
 * <p>Hazelcast's own healing compares sizes, and for equal sides addresses. It would merge the side
 * with the quorum into the one without, and drop its data. Two things prevent that:
 *
 * <ul>
 *   <li>A member that holds the quorum excludes the addresses of the members that it has lost from
 *       Hazelcast's healing.
 *   <li>The oldest member of a side that lacks the quorum puts it into the state FROZEN, which lets
 *       nobody in, and opens it when the quorum is held again, before the work here ends. It stays
 *       open if no process listens at the addresses of the lost ones: then nobody can hold the
 *       quorum there, and what is started anew at these addresses may come in. If the operator
 *       promises unique names, the side also opens when a process from an address that it does not
 *       know connects. A side that an administrator has put into a state other than ACTIVE before
 *       the quorum was lost stays in it.
 * </ul>
 *
 * <p>Threads: safe. Has a thread of its own while the quorum is lost or this side merges into
 * another, and none otherwise.
 */
final class QuorumRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumRecovery.class);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int PATIENCE_MILLIS = 2_000;

  /** The time that a side stays open for others that it shall take in. */
  private static final long WELCOME_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final QuorumService service;
  private @Nullable Thread thread;
  private volatile boolean stopped;
  private volatile long welcomed = System.nanoTime() - WELCOME_NANOS;

  /** True if the side was ACTIVE when the quorum was lost; its state is then ours to change. */
  private volatile boolean ours;

  /** True if the side was FROZEN for the quorum's sake when it was looked at last. */
  private volatile boolean shut;

  /** The addresses of the members that this one has lost; their processes may live. */
  private final Set<Address> lost = ConcurrentHashMap.newKeySet();

  /** The addresses from which a member that holds the quorum awaits a report. */
  private final Set<Address> asked = ConcurrentHashMap.newKeySet();

  /** The addresses of members that sent a report, and into whose side this one is to merge. */
  private final Set<Address> mergeTargets = ConcurrentHashMap.newKeySet();

  QuorumRecovery(QuorumService service) {
    this.service = service;
  }

  /** Begins to look for the others, until the quorum is held. */
  synchronized void quorumLost() {
    QuorumMember member = service.member();
    if (!shut) {
      ours =
          member == null
              || member.hazelcast().getCluster().getClusterState() == ClusterState.ACTIVE;
    }
    start();
  }

  /** Learns the addresses of members that were lost now; forgets those of replaced ones. */
  void see(Collection<Address> lostNow) {
    lost.addAll(lostNow);
    if (!lost.isEmpty()) {
      lost.retainAll(service.unseen());
    }
    if (!lostNow.isEmpty()) {
      excludeLost();
    }
  }

  /** Asks the lost members for their reports if this one holds the quorum. Does not wait. */
  void askLost() {
    QuorumMember member = service.member();
    if (member == null || !service.isHeld()) {
      return; // Without the quorum the thread asks.
    }
    excludeLost(); // The quorum may have come back since they were lost.
    for (Address address : lost) {
      if (member.isConnected(address) && asked.add(address)) {
        var unused =
            member
                .send(address, service.report(), false)
                .whenCompleteAsync(
                    (answer, failure) -> {
                      asked.remove(address);
                      if (answer != null) {
                        hear(answer, address);
                      }
                    },
                    Runnable::run);
      }
    }
  }

  /** Forgets the lost members, since this one merges into another cluster. */
  void separate() {
    lost.clear();
    mergeTargets.clear();
  }

  private void excludeLost() {
    QuorumMember member = service.member();
    if (member != null && service.isHeld()) {
      lost.forEach(member::excludeFromHealing);
    }
  }

  private synchronized void start() {
    if (thread != null) {
      LockSupport.unpark(thread);
    } else if (!stopped) {
      Thread fresh = new Thread(this::run, "hazelgrad-healer");
      fresh.setDaemon(true);
      thread = fresh;
      fresh.start();
    }
  }

  void stop() {
    stopped = true;
    synchronized (this) {
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Hears a report. If it is of another side, this one merges into that or opens for it. */
  void hear(Report report, Address from) {
    Report own = service.report();
    if (own.view().contains(report.voter())) {
      return;
    }
    if (own.mergesInto(report)) {
      mergeTargets.add(from);
      start();
    } else if (!own.held() && !report.held() && !own.isYoungerThan(report)) {
      welcomed = System.nanoTime();
    }
  }

  /**
   * Hears that a process has connected. If no voter had its address, it may be a lost worker that
   * was started anew elsewhere: then this side opens for it. Its first request to join may come
   * before that and be refused; the next one is let in.
   */
  void connectionAdded(Address from) {
    if (!service.isHeld() && service.mayBeNewcomer(from)) {
      welcomed = System.nanoTime();
      start();
    }
  }

  private void run() {
    while (!ended()) {
      try {
        heal();
      } catch (RuntimeException e) {
        LOG.debug("not healed yet", e);
      }
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private synchronized boolean ended() {
    if (stopped || (service.isHeld() && !shut && mergeTargets.isEmpty())) {
      thread = null;
      return true;
    }
    return false;
  }

  private void heal() {
    QuorumMember member = service.member();
    if (member == null
        || !member.hazelcast().getLifecycleService().isRunning()
        || !member.isJoined()) {
      return;
    }
    if (shut || !service.isHeld()) { // Otherwise the state is not ours to change.
      shutOrOpen(member);
    }
    for (Address address : others()) {
      Report other = ask(member, address);
      Report own = service.report(); // After the answer: it may hold the quorum again.
      if (other != null && own.mergesInto(other)) {
        LOG.warn(
            "this side {}; it merges into the side of {}",
            own.held() ? "was founded apart from an older or larger one" : "lacks the quorum",
            address);
        member.merge(address);
        return;
      }
    }
  }

  /** Returns the addresses of members that may be on another side. */
  private Set<Address> others() {
    Set<Address> others = new LinkedHashSet<>(mergeTargets);
    mergeTargets.removeAll(others); // A member that still holds the quorum asks again.
    if (!service.isHeld()) {
      others.addAll(service.unseen());
    }
    return others;
  }

  private @Nullable Report ask(QuorumMember member, Address address) {
    if (!member.isConnected(address)) {
      return null; // A connection is being made, if that is possible.
    }
    try {
      return member
          .send(address, service.report(), false)
          .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("no report from {}", address, e);
      return null;
    }
  }

  /** Returns whether the machine of an address is there, and no process listens at it. */
  private static boolean isUnused(Address address) {
    try (Socket socket = new Socket()) {
      socket.connect(address.getInetSocketAddress(), PATIENCE_MILLIS);
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) { // A timeout: the process may live behind a cut.
      return false;
    }
  }

  /** Lets the oldest member of the side open or freeze it. */
  private void shutOrOpen(QuorumMember member) {
    if (!ours) {
      return;
    }
    Cluster cluster = member.hazelcast().getCluster();
    if (cluster.getMembers().iterator().next().localMember()) {
      if (isOpen()) {
        set(cluster, ClusterState.ACTIVE); // First: the addresses may take time to answer.
      }
      if (service.missing().stream().allMatch(QuorumRecovery::isUnused)) {
        welcomed = System.nanoTime(); // A process that listens there later is another one.
      }
      set(cluster, isOpen() ? ClusterState.ACTIVE : ClusterState.FROZEN);
    }
    shut = cluster.getClusterState() == ClusterState.FROZEN;
  }

  private boolean isOpen() {
    return service.isHeld() || System.nanoTime() - welcomed < WELCOME_NANOS;
  }

  private static void set(Cluster cluster, ClusterState wanted) {
    try {
      if (cluster.getClusterState() != wanted) {
        cluster.changeClusterState(wanted);
      }
    } catch (RuntimeException e) { // Data moves still, or another member does the same.
      LOG.debug("cluster state not {} yet", wanted, e);
    }
  }
}
