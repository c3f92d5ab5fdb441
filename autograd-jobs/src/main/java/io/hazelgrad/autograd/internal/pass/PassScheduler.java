package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.internal.plan.Plan;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs attempts at backward passes: carries the gradients between the members that take part. */
public interface PassScheduler {
  /**
   * Runs an attempt and waits until it ends. An interrupt ends it; the outcome is then Failed with
   * CANCELLED, and the thread's interrupt flag is set.
   *
   * @param job the name of a Jet job, or null for none; a scheduler without jobs ignores it
   * @param pass the description of the attempt, without parts
   * @param hosts for each worker and client of the plan, the UUID of the member that acts for it;
   *     several may have the same one
   */
  AttemptOutcome run(
      @Nullable String job, PassSpec pass, Plan plan, Map<Long, UUID> hosts, Duration timeout);
}
