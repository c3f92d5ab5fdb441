package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.cluster.Member;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.Roles;
import io.hazelgrad.grid.spi.GridContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one start of a training job.
 *
 * @param trainers the names of the trainers, in order
 * @param first the worker that deals the steps and saves the state: the first trainer if there is
 *     one, else any worker; null if there is none
 * @param isWaiting whether there are too few trainers
 */
record TrainerChoice(List<String> trainers, @Nullable String first, boolean isWaiting) {
  /** Chooses among the workers on data members that have the role. */
  static TrainerChoice of(GridContext grid, TrainingOptions options) {
    List<Worker> workers = new ArrayList<>();
    for (Member member : grid.hazelcast().getCluster().getMembers()) {
      Worker worker = member.isLiteMember() ? null : grid.directory().on(member.getUuid());
      if (worker != null) {
        workers.add(worker);
      }
    }
    workers.sort(Comparator.comparing(Worker::name));
    Roles roles = Roles.of(grid.grid());
    List<String> trainers =
        workers.stream()
            .filter(worker -> options.role().isEmpty() || roles.of(worker).contains(options.role()))
            .limit(options.shards() == 0 ? Long.MAX_VALUE : options.shards())
            .map(Worker::name)
            .toList();
    String first =
        trainers.isEmpty()
            ? workers.stream().map(Worker::name).findFirst().orElse(null)
            : trainers.get(0);
    return new TrainerChoice(trainers, first, trainers.size() < options.minTrainers());
  }
}
