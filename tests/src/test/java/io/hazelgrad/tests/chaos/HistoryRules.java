package io.hazelgrad.tests.chaos;

import static java.util.stream.Collectors.groupingBy;

import io.hazelgrad.grid.Status;
import io.hazelgrad.tests.history.CounterModel;
import io.hazelgrad.tests.history.Linearizability;
import io.hazelgrad.tests.history.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Rules that the {@link History} of a run must obey, as pure functions of it and its episodes. */
final class HistoryRules {
  /** At least this part of the work that was begun must succeed. */
  static final double LEAST_SUCCESS = 0.5;

  /** In each time of this length some work of some process must succeed. */
  static final long LONGEST_SILENCE = TimeUnit.SECONDS.toNanos(40);

  /** Statuses that say that an object is lost or was not made, at any time after its trouble. */
  private static final Set<Status> LOSS =
      EnumSet.of(Status.RREF_LOST, Status.RREF_FAILED, Status.RREF_TIMED_OUT);

  private static final Set<Status> NOT_MADE = EnumSet.of(Status.RREF_FAILED, Status.RREF_TIMED_OUT);

  private final History history;
  private final List<Episode> episodes;
  private final List<String> violations = new ArrayList<>();

  private HistoryRules(History history, List<Episode> episodes) {
    this.history = history;
    this.episodes = Stream.concat(episodes.stream(), history.stalls().stream()).toList();
  }

  /** Returns a line for each violation. */
  static List<String> violations(History history, List<Episode> episodes) {
    HistoryRules rules = new HistoryRules(history, episodes);
    rules.countersAreLinearizable();
    rules.objectsAreDroppedOnceAfterTheirUse();
    rules.failuresAreExplained();
    rules.forksAreCounted();
    rules.workSucceeds();
    return rules.violations;
  }

  // ---- Counters as registers.

  private void countersAreLinearizable() {
    history.uses().stream()
        .collect(groupingBy(History.Use::counter))
        .forEach(
            (counter, uses) -> {
              switch (uses.get(0).kind()) {
                case PLAIN -> linearizable(counter, uses);
                case EVERY_REPLY -> {
                  linearizable(counter, uses.stream().filter(use -> !isRead(use)).toList());
                  uses.stream().filter(HistoryRules::isRead).forEach(it -> bounded(it, uses));
                }
                case ON_REQUEST -> {} // May fall back to a checkpoint; FailureRules has its rule.
              }
            });
  }

  private void linearizable(long counter, List<History.Use> uses) {
    String violation =
        Linearizability.violation(
            new CounterModel(),
            uses.stream()
                .map(History.Use::operation)
                .filter(it -> !isRead(it) || it.returned() != Operation.NEVER)
                .toList());
    if (!violation.isEmpty()) {
      violations.add("counter " + counter + " is not linearizable: " + violation);
    }
  }

  /** A copy of a durable object may have hits that are lost with its owner before their reply. */
  private void bounded(History.Use read, List<History.Use> uses) {
    Operation<CounterModel.Call> operation = read.operation();
    if (operation.returned() == Operation.NEVER) {
      return;
    }
    long answered =
        uses.stream()
            .filter(use -> !isRead(use) && use.operation().returned() < operation.invoked())
            .mapToLong(use -> use.operation().call().result())
            .max()
            .orElse(0);
    long begun =
        uses.stream()
            .filter(use -> !isRead(use) && use.operation().invoked() < operation.returned())
            .count();
    if (operation.call().result() < answered || operation.call().result() > begun) {
      violations.add(
          "durable counter %s was read as %s after %s answered and %s begun hits"
              .formatted(read.counter(), operation, answered, begun));
    }
  }

  private static boolean isRead(History.Use use) {
    return isRead(use.operation());
  }

  private static boolean isRead(Operation<CounterModel.Call> operation) {
    return operation.call().kind() == CounterModel.Kind.READ;
  }

  // ---- References.

  private void objectsAreDroppedOnceAfterTheirUse() {
    Map<Long, List<History.Use>> uses =
        history.uses().stream().collect(groupingBy(History.Use::counter));
    Map<Long, List<History.Handle>> handles =
        history.handles().stream().collect(groupingBy(History.Handle::counter));
    Map<Long, History.Drop> dropped = new HashMap<>();
    for (History.Drop drop : history.drops()) {
      List<History.Handle> holders = handles.getOrDefault(drop.counter(), List.of());
      if (holders.stream().anyMatch(it -> it.kind() != HeldHandle.Kind.PLAIN)) {
        continue; // Another owner goes on with a durable object.
      }
      if (dropped.put(drop.counter(), drop) != null) {
        violations.add(drop + " came twice");
      }
      for (History.Use use : uses.getOrDefault(drop.counter(), List.of())) {
        if (use.operation().returned() != Operation.NEVER
            && use.operation().invoked() > drop.at()) {
          violations.add(use + " succeeded after " + drop);
        }
      }
      for (History.Handle handle : holders) {
        if (handle.from() < drop.at() && drop.at() < handle.to() && !isExcused(drop, handle)) {
          violations.add(
              "%s while there was %s; its handles: %s; its uses: %s; failed uses: %s"
                  .formatted(
                      drop,
                      handle,
                      holders,
                      uses.getOrDefault(drop.counter(), List.of()),
                      history.useless().stream()
                          .filter(it -> it.counter() == drop.counter())
                          .toList()));
        }
      }
    }
  }

  private boolean isExcused(History.Drop drop, History.Handle handle) {
    return episodes.stream()
            .anyMatch(
                it ->
                    (it.concerns(handle.owner()) && it.covers(drop.at(), drop.at()))
                        || (it.concerns(handle.process()) && it.covers(handle.from(), drop.at())))
        || isNotMade(handle);
  }

  /**
   * Returns whether the object of a handle was never made. The handle may have been passed on
   * before that was decided, so any process may know it.
   */
  private boolean isNotMade(History.Handle handle) {
    return failedToBeMade(handle.counter())
        || history.useless().stream()
            .anyMatch(
                it ->
                    it.counter() == handle.counter()
                        && it.process().equals(handle.process())
                        && NOT_MADE.contains(it.status()));
  }

  /** A handle that its holder has in peace is a fork of the registry. */
  private void forksAreCounted() {
    Map<Long, List<History.Handle>> handles =
        history.handles().stream().collect(groupingBy(History.Handle::counter));
    for (History.ForkCount count : history.forkCounts()) {
      if (mayHaveLostEntries(count)) {
        continue;
      }
      long held =
          handles.getOrDefault(count.counter(), List.of()).stream()
              .filter(it -> it.from() < count.from() && count.to() < it.to())
              .filter(it -> isInPeace(it, count.to()))
              .filter(it -> !isNotMade(it))
              .count();
      if (count.forks() < held) {
        violations.add(count + " although " + held + " handles were open");
      }
    }
  }

  /** The registry loses entries with two workers at once; holders enter their forks anew then. */
  private boolean mayHaveLostEntries(History.ForkCount count) {
    return lost(episodes, count.from(), count.to()) > 1;
  }

  private boolean isInPeace(History.Handle handle, long until) {
    return episodes.stream()
        .noneMatch(it -> it.concerns(handle.process()) && it.covers(handle.from(), until));
  }

  // ---- Work.

  private void failuresAreExplained() {
    for (History.Failure failure : history.failures()) {
      if (!isExplained(failure)) {
        violations.add("no trouble explains " + failure);
      }
    }
    for (History.Useless useless : history.useless()) {
      if (LOSS.contains(useless.status()) && !isExplained(useless)) {
        violations.add("no trouble explains " + useless);
      }
    }
  }

  private boolean isExplained(History.Useless useless) {
    boolean isDurable = useless.kind() != HeldHandle.Kind.PLAIN;
    if (useless.status() == Status.RREF_LOST && isDurable && !failedToBeMade(useless.counter())) {
      return twoWereLostBefore(useless.at());
    }
    return episodes.stream()
        .anyMatch(
            it ->
                it.from() <= useless.at()
                    && it.kind().excused().contains(useless.status())
                    && (isAbout(it, useless) || mayHaveHeldUp(it, useless)));
  }

  /**
   * Returns whether an episode may have held up the creation of an object: any worker may keep the
   * object's entry in the registry.
   */
  private boolean mayHaveHeldUp(Episode episode, History.Useless useless) {
    return NOT_MADE.contains(useless.status())
        && history.handles().stream()
            .filter(it -> it.counter() == useless.counter())
            .anyMatch(it -> episode.covers(it.from(), useless.at()));
  }

  /** Returns whether a process heard that a creation failed, as it does if the owner is lost. */
  private boolean failedToBeMade(long counter) {
    return history.useless().stream().anyMatch(it -> it.counter() == counter && it.notMade());
  }

  /** A durable object is lost only with two workers, one soon after the other. */
  private boolean twoWereLostBefore(long time) {
    List<Episode> before =
        episodes.stream().filter(it -> it.from() <= time && it.kind().mayCostWorker()).toList();
    return before.stream().anyMatch(one -> lost(before, one.from(), one.to()) > 1);
  }

  private static int lost(List<Episode> among, long from, long to) {
    return among.stream()
        .filter(it -> it.kind().mayCostWorker() && it.covers(from, to))
        .mapToInt(it -> it.kind().isCut() ? 2 : it.who().size())
        .sum();
  }

  /** An object that was to hold a reference to a lost one is not made; the error says its owner. */
  private static boolean isAbout(Episode episode, History.Useless useless) {
    return episode.concerns(useless.owner())
        || episode.concerns(useless.process())
        || episode.who().stream().anyMatch(it -> useless.message().contains("worker " + it));
  }

  private boolean isExplained(History.Failure failure) {
    if (failure.status() == Status.UNKNOWN_WORKER
        && failure.message().contains("destination \"E\"")) {
      return true; // It is in the grid now and then.
    }
    return episodes.stream()
        .filter(it -> excuses(it.kind(), failure.status()))
        .anyMatch(
            it ->
                LOSS.contains(failure.status())
                    ? it.from() <= failure.to()
                    : it.covers(failure.from(), failure.to()));
  }

  private static boolean excuses(TroubleKind kind, Status status) {
    return kind.excused().contains(status)
        || (status == Status.UNKNOWN_WORKER && kind.excused().contains(Status.WORKER_LOST));
  }

  private void workSucceeds() {
    List<Long> successes = history.successes().stream().sorted(Comparator.naturalOrder()).toList();
    double all = (double) successes.size() + history.failures().size();
    if (successes.size() < LEAST_SUCCESS * all || successes.isEmpty()) {
      violations.add("only " + successes.size() + " of " + all + " pieces of work succeeded");
    }
    for (int i = 1; i < successes.size(); i++) {
      long silence = successes.get(i) - successes.get(i - 1);
      if (silence > LONGEST_SILENCE) {
        violations.add("no work succeeded for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms");
      }
    }
  }
}
