package io.hazelgrad.grid.group;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The living workers as this member sees them. Unlike the directory's map, this works while a
 * member that holds a partition of the map is frozen.
 */
final class LivingWorkers {
  private LivingWorkers() {}

  /** Returns the living workers without this one, by id. */
  static List<Worker> others(GridContext context) {
    List<Worker> others = new ArrayList<>();
    try {
      for (Member member : context.hazelcast().getCluster().getMembers()) {
        Worker worker = member.localMember() ? null : context.on(member.getUuid());
        if (worker != null && !context.hasLeft(worker.id())) {
          others.add(worker);
        }
      }
    } catch (HazelcastInstanceNotActiveException e) {
      throw new GridException(
          Status.CLOSED, "worker " + context.self().name() + " has left the grid", e);
    }
    others.sort(Comparator.comparingLong(Worker::id));
    return others;
  }

  /** Returns the living workers, by id. */
  static List<Worker> all(GridContext context) {
    List<Worker> all = new ArrayList<>(others(context));
    all.add(context.self());
    all.sort(Comparator.comparingLong(Worker::id));
    return all;
  }
}
