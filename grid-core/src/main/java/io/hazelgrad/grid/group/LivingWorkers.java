package io.hazelgrad.grid.group;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The living workers as this member sees them. Unlike the directory's map, this works while a
 * member that holds a partition of the map is frozen.
 */
final class LivingWorkers {
  static final Comparator<Worker> BY_ID = Comparator.comparingLong(Worker::id);

  private LivingWorkers() {}

  /** Returns the living workers on the members that match, by id. */
  static List<Worker> on(GridContext context, Predicate<Member> members) {
    try {
      return context.hazelcast().getCluster().getMembers().stream()
          .filter(members)
          .flatMap(member -> Stream.ofNullable(context.directory().on(member.getUuid())))
          .filter(worker -> !context.directory().hasLeft(worker.id()))
          .sorted(BY_ID)
          .toList();
    } catch (HazelcastInstanceNotActiveException e) {
      throw new GridException(
          Status.CLOSED, "worker " + context.self().name() + " has left the grid", e);
    }
  }

  /** Returns the living workers without this one, by id. */
  static List<Worker> others(GridContext context) {
    return on(context, member -> !member.localMember());
  }

  /** Returns the living workers, by id. */
  static List<Worker> all(GridContext context) {
    return Stream.concat(others(context).stream(), Stream.of(context.self()))
        .sorted(BY_ID)
        .toList();
  }
}
