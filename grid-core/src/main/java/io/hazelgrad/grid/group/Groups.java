package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * The groups that a worker may meet with.
 *
 * <pre>{@code
 * Groups groups = Groups.of(grid);
 * groups.all().barrier();
 * Map<String, Integer> sizes = groups.named("a", "b").within(Duration.ofSeconds(5)).allGather(size);
 * }</pre>
 *
 * <p>Only workers can take part; clients cannot.
 *
 * <p>Threads: safe.
 */
public final class Groups {
  private final GridContext context;
  private final RendezvousParticipant participant;
  private final RendezvousLeader leader;

  Groups(GridContext context, RendezvousParticipant participant, RendezvousLeader leader) {
    this.context = context;
    this.leader = leader;
    this.participant = participant;
  }

  /** Returns the groups of a grid. */
  public static Groups of(Grid grid) {
    return grid.service(GroupServices.class).groups();
  }

  /**
   * Returns all workers that live when they meet. A worker that joins later is waited for if some
   * member knew it when it came; one that leaves orderly is not waited for any more.
   */
  public Group all() {
    return group(RendezvousId.Scope.ALL, "", 0, () -> LivingWorkers.all(context));
  }

  /**
   * Returns the workers of these names, whoever bears them when they meet. The order of the names
   * does not matter.
   *
   * @throws GridException BAD_ARGUMENT if a name stands there twice or this worker's own does not;
   *     when they meet, UNKNOWN_WORKER if nobody bears a name
   */
  public Group named(String... names) {
    return named(Arrays.asList(names));
  }

  /** As {@link #named(String...)}. */
  public Group named(Collection<String> names) {
    List<String> sorted = names.stream().sorted().toList();
    requireDistinctAndSelf(sorted, context.self().name());
    return group(
        RendezvousId.Scope.NAMED,
        String.join(", ", sorted),
        0,
        () -> sorted.stream().map(context.grid()::worker).sorted(BY_ID).toList());
  }

  /**
   * Returns the workers of a list that has a version, such as the one that a coordinator of the
   * application gives out. Only workers with the same version meet; one that comes with an older
   * version than another is told so at once if both know the same leader, else at its deadline.
   *
   * @param name a name for the list
   * @param version grows with each change of the list
   * @param members who is on it
   * @throws GridException BAD_ARGUMENT if a worker stands there twice or this one does not
   */
  public Group listed(String name, long version, Collection<Worker> members) {
    List<Worker> sorted = members.stream().sorted(BY_ID).toList();
    requireDistinctAndSelf(sorted, context.self());
    return group(RendezvousId.Scope.LISTED, name, version, () -> sorted);
  }

  /** Returns how many meetings wait: those that this worker takes part in, and those it leads. */
  public int waiting() {
    return participant.waiting() + leader.waiting();
  }

  private static final Comparator<Worker> BY_ID = Comparator.comparingLong(Worker::id);

  private static <T> void requireDistinctAndSelf(List<T> members, T self) {
    if (new HashSet<>(members).size() < members.size()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "the same worker twice among the members " + members);
    }
    if (!members.contains(self)) {
      throw new GridException(
          Status.BAD_ARGUMENT, "this worker, " + self + ", is not among the members " + members);
    }
  }

  private Group group(
      RendezvousId.Scope whom, String name, long version, Supplier<List<Worker>> members) {
    return new Group(participant, whom, name, version, members, "", context.callTimeout());
  }
}
