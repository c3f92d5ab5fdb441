package io.hazelgrad.autograd.internal.jobs.lifecycle;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.Roles;
import io.hazelgrad.grid.spi.GridContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one start of a training job.
 *
 * @param trainers the names of the trainers, in order, by the addresses of their members
 * @param first the address of the member that deals the steps and saves the state: that of the
 *     first trainer if there is one, else of any worker; null if there is none
 */
public record TrainerChoice(Map<Address, String> trainers, @Nullable Address first) {
  /**
   * Chooses among the workers on data members that have the role.
   *
   * @param isReady whether a worker of this name could train at once
   * @param runsJob whether a member takes part in the job
   */
  public static TrainerChoice of(
      GridContext grid,
      TrainingOptions options,
      Predicate<String> isReady,
      Predicate<Address> runsJob) {
    Map<String, Member> workers = new TreeMap<>();
    Map<String, Member> candidates = new TreeMap<>();
    Roles roles = Roles.of(grid.grid());
    for (Member member : grid.hazelcast().getCluster().getMembers()) {
      Worker worker = member.isLiteMember() ? null : grid.directory().on(member.getUuid());
      if (worker != null && runsJob.test(member.getAddress())) {
        workers.put(worker.name(), member);
        if ((options.role().isEmpty() || roles.of(worker).contains(options.role()))
            && isReady.test(worker.name())) {
          candidates.put(worker.name(), member);
        }
      }
    }
    Map<Address, String> trainers = new LinkedHashMap<>();
    candidates.forEach(
        (name, member) -> {
          if (options.shards() == 0 || trainers.size() < options.shards()) {
            trainers.put(member.getAddress(), name);
          }
        });
    Address first =
        (candidates.isEmpty() ? workers : candidates)
            .values().stream().map(Member::getAddress).findFirst().orElse(null);
    return new TrainerChoice(trainers, first);
  }
}
