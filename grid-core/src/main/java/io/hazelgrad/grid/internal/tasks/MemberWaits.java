package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.waits.Analysis;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.waits.Diagnosis;
import io.hazelgrad.grid.waits.Waits;
import io.hazelgrad.grid.waits.WorkerReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the members of a grid what their workers wait for. Threads: safe. */
public final class MemberWaits implements Waits {
  private static final Logger LOG = LoggerFactory.getLogger(MemberWaits.class);
  private static final long PATIENCE_MILLIS = 2_000;

  private final HazelcastInstance hazelcast;
  private final Proofs proofs;
  private final Predicate<Member> hasGrid;
  private final IExecutorService executor;

  /**
   * Makes the access of a member or client.
   *
   * @param hasGrid tells which members have Hazelgrad
   */
  public MemberWaits(HazelcastInstance hazelcast, Proofs proofs, Predicate<Member> hasGrid) {
    this.hazelcast = hazelcast;
    this.proofs = proofs;
    this.hasGrid = hasGrid;
    this.executor = GridExecutor.CONTROL.of(hazelcast);
  }

  @Override
  public Diagnosis look(Duration atLeast) {
    long leastMillis = atLeast.toMillis();
    Map<Member, CompletableFuture<byte[]>> asked = new HashMap<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (hasGrid.test(member)) {
        asked.put(
            member,
            GridExecutor.submit(executor, new WaitsTask(leastMillis, proofs), member)
                // Another stage: the future of Hazelcast itself cannot be completed from here.
                .thenApplyAsync(bytes -> bytes, Runnable::run)
                .completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS));
      }
    }
    List<WorkerReport> reports = new ArrayList<>();
    Map<UUID, String> names = new HashMap<>();
    List<Member> without = new ArrayList<>();
    asked.forEach(
        (member, future) -> {
          WaitsTask.Answer answer = answer(member, future);
          if (answer == null) {
            without.add(member);
            return;
          }
          if (answer.isRefused()) {
            throw new GridException(
                Status.UNAUTHORIZED,
                "%s refuses the secret: %s".formatted(member.getAddress(), CallProofs.REMEDY));
          }
          names.putAll(answer.names());
          if (answer.report() != null) {
            reports.add(answer.report());
          }
        });
    Set<String> silent = new TreeSet<>();
    for (Member member : without) {
      silent.add(names.getOrDefault(member.getUuid(), String.valueOf(member.getAddress())));
    }
    return Analysis.of(reports, silent, leastMillis);
  }

  /** Returns the answer of a member; null if it did not answer. */
  private static WaitsTask.@Nullable Answer answer(
      Member member, CompletableFuture<byte[]> future) {
    try {
      byte[] bytes = future.join();
      return bytes == null ? null : WaitsTask.Answer.read(bytes);
    } catch (RuntimeException e) { // It leaves just now, or is of another version.
      LOG.debug("member {} does not say what it waits for", member, e);
      return null;
    }
  }
}
