package io.hazelgrad.grid.internal.quorum;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Decides whether this member may change shared data, or is cut off from most of the grid. Members
 * in and reports in, a decision out: no threads, no time, no network.
 *
 * <p>The processes that hold data vote. A process keeps its voter id when its member merges with
 * another cluster and gets another UUID. An <i>agreement</i> is a set of voters which all of them
 * saw as the whole cluster; agreements are numbered by epochs. A member holds the quorum if it sees
 * more than half of the last agreement that it knows, or exactly half with the oldest voter.
 *
 * <p>So an agreement shrinks with each loss, and two losses in turn are survived where two at once
 * are not. That is safe because a smaller set counts only after all its members have confirmed it.
 * A view that this member has confirmed may have been agreed on without its knowledge; so until the
 * next agreement a majority of every confirmed view is needed as well, as with Raft's joint
 * consensus.
 *
 * <p>A side without the quorum regains it also if all voters that it misses are known to have died,
 * since then nobody else can hold it. A few of them are not enough: before it died, a voter may
 * have helped the others to go on.
 *
 * <p>Limits: while views change faster than reports travel, members of one side may for a moment
 * differ on whether they hold the quorum; and a process that was started anew remembers nothing, so
 * processes that find only each other begin a grid of their own, if they are enough to found one. A
 * voter that others took in meanwhile is not known to be missed.
 *
 * <p>Threads: safe. A caller that holds its monitor makes several calls as one step.
 */
public final class Quorum {
  /**
   * A set of voters that all of them have seen as the whole cluster.
   *
   * @param epoch its number, growing; 0 for none
   * @param voters the oldest first
   */
  public record Agreement(long epoch, List<UUID> voters) {
    static final Agreement NONE = new Agreement(0, List.of());

    public Agreement {
      voters = List.copyOf(voters);
    }

    boolean isNone() {
      return epoch == 0;
    }

    /** Returns the place of a side's oldest voter among the voters; 0 is the oldest. */
    private int rank(List<UUID> side) {
      return (int) voters.stream().takeWhile(voter -> !side.contains(voter)).count();
    }
  }

  /**
   * The message of a member to the others.
   *
   * @param view the voters that it sees, the oldest first
   * @param agreement the last one that it knows
   * @param dead the voters of whose end it knows
   * @param able whether its view may go on by all that it agreed to or confirmed
   * @param held whether it holds the quorum
   */
  public record Report(
      UUID voter,
      List<UUID> view,
      Agreement agreement,
      List<UUID> dead,
      boolean able,
      boolean held) {
    /** Orders sides that hold a quorum: the smaller first, then the one of the lower epoch. */
    private static final Comparator<Report> BY_SIZE_AND_EPOCH =
        Comparator.<Report>comparingInt(report -> report.view.size())
            .thenComparingLong(report -> report.agreement.epoch)
            .thenComparing(report -> report.view.get(0));

    public Report {
      view = List.copyOf(view);
      dead = List.copyOf(dead);
    }

    /**
     * Returns whether the reporter's side is to merge into the side of another reporter. It waits
     * while the other side still counts one of its voters. Of two sides, one at most merges into
     * the other:
     *
     * <ul>
     *   <li>If one side holds the quorum, the other one merges.
     *   <li>If both hold a quorum, they were founded apart. The smaller one merges; of equal ones,
     *       the one with the lower epoch.
     *   <li>If none holds it, the one without the oldest voter merges.
     * </ul>
     */
    boolean mergesInto(Report other) {
      if (view.isEmpty() || other.view.stream().anyMatch(view::contains)) {
        return false;
      }
      if (held != other.held) {
        return other.held;
      }
      return held ? BY_SIZE_AND_EPOCH.compare(this, other) < 0 : isYoungerThan(other);
    }

    /** Returns whether, of two sides without quorum, the other one has the older voters. */
    boolean isYoungerThan(Report other) {
      return other.agreement.epoch >= agreement.epoch
          && agreement.rank(other.view) < agreement.rank(view);
    }
  }

  private final UUID self;
  private final int foundingSize;
  private List<UUID> view = List.of();
  private Agreement agreement = Agreement.NONE;

  /** Views confirmed to others since the agreement. */
  private final Set<List<UUID>> confirmed = new HashSet<>();

  private final Map<UUID, Report> reports = new HashMap<>();
  private final Set<UUID> leaving = new HashSet<>();
  private final Set<UUID> dead = new HashSet<>();

  /** Creates the state of a voter; so many at least found a grid together. */
  Quorum(UUID self, int foundingSize) {
    this.self = self;
    this.foundingSize = foundingSize;
  }

  /**
   * Learns the voters that the cluster has now, the oldest first. Returns the lost ones: those that
   * have gone without a goodbye, and whose processes may live.
   */
  synchronized List<UUID> see(List<UUID> voters) {
    if (view.equals(voters)) {
      return List.of();
    }
    List<UUID> lost =
        view.stream()
            .filter(it -> !voters.contains(it) && !leaving.contains(it) && !dead.contains(it))
            .toList();
    view = List.copyOf(voters);
    reports.keySet().retainAll(view);
    agree();
    return lost;
  }

  /** Learns the report of another voter; those of strangers do not count. */
  synchronized void hear(Report report) {
    if (!view.contains(report.voter()) || report.voter().equals(self)) {
      return;
    }
    reports.put(report.voter(), report);
    if (isBinding(report)) {
      adopt(report.agreement());
    }
    dead.addAll(report.dead());
    agree();
  }

  /**
   * Returns whether the reporter's agreement replaces ours. A member that lacks the quorum has
   * nothing to lose: it follows a cluster that has it and has taken it in. One that holds it
   * follows only voters of its agreement: a process with the memory of another grid is a newcomer.
   */
  private boolean isBinding(Report report) {
    boolean newer = report.agreement().epoch() > agreement.epoch();
    if (isHeld()) {
      return newer && agreement.voters().contains(report.voter());
    }
    boolean takenIn = report.held() && report.view().contains(self);
    return newer || (takenIn && !report.agreement().equals(agreement));
  }

  /** Learns that a voter is about to leave for good; it does not count any more. */
  synchronized void leaves(UUID voter) {
    leaving.add(voter);
  }

  /** Learns that the process of a voter has ended. */
  synchronized void died(UUID voter) {
    dead.add(voter);
    agree();
  }

  /**
   * Gives up the cluster to enter another one. A member that held the quorum forgets the agreement;
   * one that lacked it remembers, since its voice may be what the others lack.
   */
  synchronized void separate() {
    if (isHeld()) {
      agreement = Agreement.NONE;
      confirmed.clear();
      leaving.clear();
    }
    view = List.of();
    reports.clear();
  }

  private void adopt(Agreement newer) {
    agreement = newer;
    leaving.retainAll(newer.voters());
    dead.retainAll(newer.voters());
    confirmed.clear();
  }

  private void agree() {
    if (!view.contains(self) || isSettled()) {
      return;
    }
    boolean unanimous =
        view.stream().filter(voter -> !voter.equals(self)).allMatch(this::confirmsView);
    boolean founding =
        agreement.isNone()
            && view.size() >= foundingSize
            && reports.values().stream().allMatch(report -> report.agreement().isNone());
    if (unanimous && (founding || isHeld())) {
      adopt(new Agreement(agreement.epoch() + 1, view));
    }
  }

  /** Returns whether a voter sees our view and nothing else binds it. */
  private boolean confirmsView(UUID voter) {
    Report report = reports.get(voter);
    return report != null
        && same(report.view(), view)
        && (report.able() || report.agreement().isNone());
  }

  /** Returns the report to the others, which binds this member. */
  synchronized Report report() {
    if (!isSettled() && view.contains(self)) {
      confirmed.add(view);
    }
    return new Report(self, view, agreement, List.copyOf(dead), suffice(view), isHeld());
  }

  /** Returns whether this member may change what the grid shares. */
  synchronized boolean isHeld() {
    return suffice(view.stream().filter(voter -> !isBoundElsewhere(voter)).toList());
  }

  /** Returns whether a voter of our view is forbidden to go on by what it confirmed before. */
  private boolean isBoundElsewhere(UUID voter) {
    Report report = reports.get(voter);
    return report != null
        && same(report.view(), view)
        && !report.able()
        && !report.agreement().isNone();
  }

  /** Returns whether these voters are a majority of each binding set, or miss only the dead. */
  private boolean suffice(List<UUID> present) {
    return !agreement.isNone()
        && (binding().allMatch(voters -> isMajority(present, voters))
            || binding()
                .flatMap(List::stream)
                .allMatch(it -> present.contains(it) || dead.contains(it) || hasLeft(it)));
  }

  /** Returns the sets of voters that decide: what was agreed on, and what may have been. */
  private Stream<List<UUID>> binding() {
    return Stream.concat(Stream.of(agreement.voters()), confirmed.stream());
  }

  private boolean hasLeft(UUID voter) {
    return leaving.contains(voter) && !view.contains(voter);
  }

  /** Returns whether the view is agreed on, so that there is nothing to tell. */
  synchronized boolean isSettled() {
    return !agreement.isNone() && same(agreement.voters(), view);
  }

  private boolean isMajority(List<UUID> present, List<UUID> voters) {
    List<UUID> counted = new ArrayList<>(voters);
    counted.removeIf(this::hasLeft);
    if (counted.isEmpty()) {
      return true;
    }
    long here = counted.stream().filter(present::contains).count();
    return 2 * here > counted.size()
        || (2 * here == counted.size() && present.contains(counted.get(0)));
  }

  private static boolean same(List<UUID> one, List<UUID> other) {
    return one.size() == other.size() && new HashSet<>(one).containsAll(other);
  }

  /** Returns the voters of the last agreement that are missed and have not said goodbye. */
  synchronized List<UUID> missing() {
    return agreement.voters().stream()
        .filter(voter -> !view.contains(voter) && !leaving.contains(voter))
        .toList();
  }

  /** Returns the voters whose absence keeps this side from going on by itself. */
  synchronized List<UUID> awaited() {
    return binding()
        .flatMap(List::stream)
        .distinct()
        .filter(voter -> !view.contains(voter) && !dead.contains(voter) && !leaving.contains(voter))
        .toList();
  }

  synchronized List<UUID> view() {
    return view;
  }

  int foundingSize() {
    return foundingSize;
  }

  synchronized Agreement agreement() {
    return agreement;
  }
}
