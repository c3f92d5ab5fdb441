package io.hazelgrad.grid.internal.quorum;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleListener;
import com.hazelcast.splitbrainprotection.HeartbeatAware;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionFunction;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.group.LostWorkers;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects the decisions of {@link Quorum} with a Hazelcast member: hears of its members from the
 * split-brain protection that guards our maps, exchanges reports with the others until all agree,
 * and lets {@link QuorumRecovery} look for the others when the quorum is lost.
 *
 * <p>Hazelcast asks the function when members come and go and with every heartbeat, and caches the
 * answer. A heartbeat of our own passes on what a report changes in between. Threads: safe.
 */
public final class QuorumService
    implements SplitBrainProtectionFunction,
        HeartbeatAware,
        HazelcastInstanceAware,
        LifecycleListener {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumService.class);
  private static final String NAME = "hazelgrad";
  private static final String USER_CONTEXT_KEY = "io.hazelgrad.quorum";

  /** The pause before the others are asked again while not all agree. */
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Duration GOODBYE = Duration.ofSeconds(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final UUID self = UUID.randomUUID();
  private final Quorum quorum;

  private final VoterDirectory voters;
  private final List<Consumer<Boolean>> listeners = new CopyOnWriteArrayList<>();
  private final QuorumRecovery recovery = new QuorumRecovery(this);
  private final Function<HazelcastInstance, QuorumMember> members;
  private volatile @Nullable QuorumMember member;
  private volatile boolean leavesWithAll;
  private volatile boolean held;

  /** Guarded by the quorum, as is the next. */
  private @Nullable Report told;

  private long asked = System.nanoTime() - ASK_NANOS;

  private QuorumService(HazelgradConfig worker, Function<HazelcastInstance, QuorumMember> members) {
    this.quorum = new Quorum(self, worker.foundingSize());
    this.voters = new VoterDirectory(worker.uniqueNames());
    this.members = members;
  }

  /** Adds the protection to a configuration, for all maps of ours that it has by now. */
  public static void prepare(
      Config config, HazelgradConfig worker, Function<HazelcastInstance, QuorumMember> members) {
    QuorumService service = new QuorumService(worker, members);
    config.addSplitBrainProtectionConfig(
        new SplitBrainProtectionConfig(NAME, true)
            .setProtectOn(SplitBrainProtectionOn.WRITE)
            .setFunctionImplementation(service));
    config.addListenerConfig(new ListenerConfig(service));
    config.getUserContext().put(USER_CONTEXT_KEY, service);
    VoterDirectory.attributes(service.self, worker.name())
        .forEach(config.getMemberAttributeConfig()::setAttribute);
    for (MapConfig map : config.getMapConfigs().values()) {
      if (map.getName().startsWith("hazelgrad.") && map.getSplitBrainProtectionName() == null) {
        map.setSplitBrainProtectionName(NAME);
      }
    }
  }

  /** Returns the service of an instance, or null where quorum is off. */
  public static @Nullable QuorumService of(HazelcastInstance instance) {
    return (QuorumService) instance.getUserContext().get(USER_CONTEXT_KEY);
  }

  /** Returns whether a member has a vote, which it has if quorum is not off there. */
  public static boolean isVoter(Member member) {
    return VoterDirectory.voter(member) != null;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = members.apply(instance);
  }

  @Nullable QuorumMember member() {
    return member;
  }

  /** Hears, on a thread that must not be held up, when the quorum is lost or regained. */
  public void onChange(Consumer<Boolean> listener) {
    listeners.add(listener);
  }

  public void removeListener(Consumer<Boolean> listener) {
    listeners.remove(listener);
  }

  /** Returns whether this member sees enough of the others, as far as is known now. */
  public boolean isHeld() {
    return held;
  }

  /** Waits until changes of our maps are let through; false if they are not in time. */
  public boolean await(Duration timeout) {
    long start = System.nanoTime();
    nudge();
    while (!held || !isOpen()) {
      if (System.nanoTime() - start > timeout.toNanos() || Thread.interrupted()) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /** Returns whether Hazelcast has seen that the quorum is held. */
  private boolean isOpen() {
    QuorumMember running = member;
    return running != null
        && running
            .hazelcast()
            .getSplitBrainProtectionService()
            .getSplitBrainProtection(NAME)
            .hasMinimumSize();
  }

  @Override
  public boolean apply(Collection<Member> members) {
    QuorumMember running = member;
    if (running == null || !running.isJoined()) {
      return false;
    }
    List<Member> voting = members.stream().filter(QuorumService::isVoter).toList();
    voters.see(voting).forEach(quorum::died);
    List<UUID> lost =
        quorum.see(
            voting.stream().map(it -> Objects.requireNonNull(VoterDirectory.voter(it))).toList());
    List<Address> others =
        voting.stream().filter(it -> !it.localMember()).map(Member::getAddress).toList();
    tellOthers(running, others);
    changed();
    recovery.see(lost.stream().map(voters::address).filter(Objects::nonNull).toList());
    return held;
  }

  /** Tells the others what they do not know, and asks again while not all agree. */
  private void tellOthers(QuorumMember running, List<Address> others) {
    Report report;
    synchronized (quorum) {
      if (quorum.isSettled()) {
        return;
      }
      report = quorum.report();
      if (report.equals(told) && System.nanoTime() - asked < ASK_NANOS) {
        return;
      }
      told = report;
      asked = System.nanoTime();
    }
    for (Address other : others) {
      var unused =
          running
              .send(other, report, false)
              .whenCompleteAsync(
                  (answer, failure) -> {
                    if (answer != null) {
                      hear(answer);
                    }
                  },
                  Runnable::run);
    }
  }

  @Override
  public void onHeartbeat(Member member, long timestamp) {
    // Its only use is that update() follows.
  }

  private void nudge() {
    QuorumMember running = member;
    if (running != null) {
      running.nudge();
    }
  }

  Report report() {
    return quorum.report();
  }

  /** Asks the lost members for their reports if this one holds the quorum; for a timer. */
  public void askLost() {
    recovery.askLost();
  }

  public Report answer(Report report, Address from, boolean leaving) {
    if (leaving) {
      quorum.leaves(report.voter());
    } else {
      hear(report);
      recovery.hear(report, from);
    }
    return report();
  }

  private void hear(Report report) {
    boolean news;
    synchronized (quorum) {
      quorum.hear(report);
      news = !quorum.isSettled() && !quorum.report().equals(told);
    }
    changed();
    if (news) {
      nudge(); // The others are told from there.
    }
  }

  private void changed() {
    boolean now;
    synchronized (quorum) {
      now = quorum.isHeld();
      if (now == held) {
        return;
      }
      held = now;
      LOG.info("quorum {}: {}", now ? "held" : "LOST", quorum.report());
    }
    nudge();
    listeners.forEach(listener -> listener.accept(now));
    if (!now) {
      recovery.quorumLost();
    }
  }

  /** Returns how much of the grid is seen, and what to do if that will not change by itself. */
  public String shortage() {
    int count;
    int missing;
    synchronized (quorum) {
      if (quorum.agreement().isNone()) {
        return "it sees %s of the %s workers that begin a grid (HazelgradConfig.foundingSize)"
            .formatted(quorum.view().size(), quorum.foundingSize());
      }
      count = quorum.agreement().voters().size();
      missing = quorum.missing().size();
    }
    String advice =
        ", and of two equal sides the one with the older goes on (a grid of three survives"
            + " the loss of any one; with HazelgradConfig.quorum(false) every side goes on)";
    return "it sees %s of the %s workers that were last agreed on%s%s"
        .formatted(count - missing, count, count == 2 ? advice : "", forceLeave());
  }

  /** Returns the command for lost workers that do not come back at their addresses. */
  private String forceLeave() {
    List<Lost> lost = lost();
    return lost.isEmpty()
        ? ""
        : ("; it misses %s: if their processes have ended and they do not come back at these"
                + " addresses, run: %s")
            .formatted(lost, LostWorkers.command(lost));
  }

  public void addGauges(GridContext context) {
    context.gauge("quorum.held", () -> held ? 1 : 0);
    context.gauge("quorum.voters", () -> report().agreement().voters().size());
    context.gauge("quorum.missing", () -> quorum.missing().size());
  }

  /** Returns the addresses of voters that were seen once and are not seen now. */
  List<Address> unseen() {
    return voters.unseen(quorum.view());
  }

  /** Returns the addresses of voters that the quorum misses, unless others listen there now. */
  List<Address> missing() {
    return quorum.missing().stream().map(voters::address).filter(Objects::nonNull).toList();
  }

  /** Returns whether a process that comes from an unknown address may be a lost worker's. */
  boolean mayBeNewcomer(Address from) {
    return voters.promisesUniqueNames() && !voters.knows(from);
  }

  /** Returns the workers that the quorum misses and that are not known to have ended. */
  public List<Lost> lost() {
    return voters.describe(quorum.awaited());
  }

  /** Learns from the operator that the processes of voters have ended, and returns the others. */
  public List<Lost> confirmEnd(Collection<UUID> ended) {
    List<Lost> confirmed = lost().stream().filter(it -> ended.contains(it.voter())).toList();
    if (!confirmed.isEmpty()) {
      LOG.warn("by the operator's word, the processes of these workers have ended: {}", confirmed);
      confirmed.forEach(it -> quorum.died(it.voter()));
      changed();
      nudge(); // The others are told from there.
    }
    return lost();
  }

  @Override
  public void stateChanged(LifecycleEvent event) {
    switch (event.getState()) {
      case STARTED -> {
        QuorumMember running = member;
        if (running != null) {
          running.onConnection(recovery::connectionAdded);
        }
        nudge(); // Rather than with the next heartbeat.
      }
      case MERGED -> nudge();
      case MERGING -> {
        quorum.separate();
        recovery.separate();
        changed();
      }
      case SHUTTING_DOWN -> {
        recovery.stop();
        sayGoodbye();
      }
      default -> {}
    }
  }

  /** Notes that all voters leave together: none of them needs to hear that this one leaves. */
  public void leaveWithAll() {
    leavesWithAll = true;
  }

  /** Tells the others that this voter goes for good, so that they do not miss it. */
  private void sayGoodbye() {
    QuorumMember running = member;
    if (leavesWithAll || running == null || !running.isJoined()) {
      return;
    }
    Report report = report();
    CompletableFuture<?>[] told =
        report.view().stream()
            .filter(voter -> !voter.equals(self))
            .map(voters::address)
            .filter(Objects::nonNull)
            .map(address -> running.send(address, report, true))
            .toArray(CompletableFuture<?>[]::new);
    try {
      var unused = CompletableFuture.allOf(told).get(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.debug("not all heard that this member leaves", e);
    }
  }
}
