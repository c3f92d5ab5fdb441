package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.RendezvousId.Scope;
import io.hazelgrad.grid.spi.GridContext;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Creates groups of workers; clients cannot be members. Threads: safe.
 *
 * <pre>{@code
 * Groups groups = Groups.of(grid);
 * groups.all().barrier();
 * Map<String, Integer> sizes = groups.named("a", "b").within(Duration.ofSeconds(5)).allGather(size);
 * }</pre>
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
   * Returns the group of all workers that live during a round. A worker that joins later is waited
   * for if a member knew it when that member called; one that leaves in good order no longer.
   */
  public Group all() {
    return group(Scope.ALL, "", 0, () -> LivingWorkers.all(context));
  }

  /**
   * Returns the group of the workers that have these names, in any order and during a round; a
   * round throws UNKNOWN_WORKER if no worker has a name.
   *
   * @throws GridException BAD_ARGUMENT if a name occurs twice or this worker's own name is missing
   */
  public Group named(String... names) {
    List<String> sorted = Stream.of(names).sorted().toList();
    requireDistinctAndSelf(sorted, context.self().name());
    return group(
        Scope.NAMED,
        String.join(", ", sorted),
        0,
        () -> sorted.stream().map(context.grid()::worker).sorted(LivingWorkers.BY_ID).toList());
  }

  /**
   * Returns the group of a list of workers with a version that grows with each change, such as one
   * that a coordinator of the application sends out. Only workers with the same version meet. A
   * worker with an older version is refused at once if it has the same leader as those with the
   * newer one, otherwise at its deadline.
   *
   * @throws GridException BAD_ARGUMENT if a worker occurs twice or this worker is missing
   */
  public Group listed(String name, long version, Collection<Worker> members) {
    List<Worker> sorted = members.stream().sorted(LivingWorkers.BY_ID).toList();
    requireDistinctAndSelf(sorted, context.self());
    return group(Scope.LISTED, name, version, () -> sorted);
  }

  /** Returns the number of waits, of this worker and of others in rounds that it leads. */
  public int waiting() {
    return participant.waiting() + leader.waiting();
  }

  private static <T> void requireDistinctAndSelf(List<T> members, T self) {
    if (new HashSet<>(members).size() < members.size()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a worker occurs twice among the members " + members);
    }
    if (!members.contains(self)) {
      throw new GridException(
          Status.BAD_ARGUMENT, "this worker, " + self + ", is not among the members " + members);
    }
  }

  private Group group(Scope scope, String name, long version, Supplier<List<Worker>> members) {
    return new Group(participant, scope, name, version, members, "", context.callTimeout());
  }
}
