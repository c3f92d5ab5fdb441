package io.hazelgrad.autograd.internal.jobs.lifecycle;

import com.hazelcast.cluster.Member;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.core.JobSuspensionCause;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.grid.spi.GridContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has Jet go on with the trainings that it suspended because of a loss, and ends those that it
 * suspended because of another failure. Jet would restart them by itself if it were told to, but
 * only after two seconds, and again two seconds later if a partition lacks its backup then.
 *
 * <p>Each member begins to watch a training when a start of it fails there, and all trainings when
 * a worker is lost or the quorum is back. The oldest data member acts at once. Any other one acts
 * if a training stays suspended: Jet suspends it when the start has ended on all members, and by
 * then the oldest one may watch no more. The one on which it ended last does. Threads: safe.
 */
public final class Resumer {
  private static final Logger LOG = LoggerFactory.getLogger(Resumer.class);
  private static final long PERIOD_MILLIS = 50;

  /** A training is watched for so long after the last sign of a loss. */
  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Members other than the oldest one look so many periods apart. */
  private static final int PERIODS_OF_OTHERS = 20;

  /** The time after which another member acts in the place of the oldest one. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** The least time between two resumptions of a training, if it fails at each start. */
  private static final long SPACING_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final GridContext grid;
  private final StatusStore statuses;
  private final Map<String, Watch> watched = new HashMap<>();

  /** The times since which this member, if it is not the oldest, finds a training suspended. */
  private final Map<String, Long> suspendedNanos = new HashMap<>();

  private int periods;
  private boolean knowsAll = true;
  private boolean isLooking;

  /** Until when a training is watched at least, and when it was last resumed. */
  private record Watch(long untilNanos, long resumedNanos) {}

  public Resumer(GridContext grid, StatusStore statuses) {
    this.grid = grid;
    this.statuses = statuses;
  }

  /** Watches all trainings for a minute. */
  public synchronized void watchAll() {
    knowsAll = false;
    lookSoon();
  }

  /** Watches one training for a minute, or as long as it is suspended for a loss. */
  public synchronized void watch(String name) {
    long now = System.nanoTime();
    watched.merge(
        name,
        new Watch(now + WATCH_NANOS, now - SPACING_NANOS),
        (old, added) -> new Watch(added.untilNanos(), old.resumedNanos()));
    lookSoon();
  }

  private void lookSoon() {
    if (!isLooking) {
      isLooking = true;
      schedule();
    }
  }

  private void schedule() {
    try {
      var unused =
          grid.timer()
              .schedule(
                  () -> grid.background().execute(this::look),
                  PERIOD_MILLIS,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // This worker leaves, and others watch.
    }
  }

  private void look() {
    guarded(this::listAll);
    periods++;
    boolean isOldest = isOldest();
    if (grid.refusal() == null && (isOldest || periods % PERIODS_OF_OTHERS == 0)) {
      names().forEach(name -> guarded(() -> look(name, isOldest)));
    }
    synchronized (this) {
      long now = System.nanoTime();
      watched.values().removeIf(watch -> now - watch.untilNanos() > 0);
      suspendedNanos.keySet().retainAll(watched.keySet());
      isLooking = !watched.isEmpty() || !knowsAll;
      if (isLooking) {
        schedule();
      }
    }
  }

  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) { // Members come and go just now, so the next look will do.
      LOG.debug("cannot look after trainings", e);
    }
  }

  private void listAll() {
    synchronized (this) {
      if (knowsAll) {
        return;
      }
      knowsAll = true;
    }
    try {
      statuses.names().forEach(this::watch);
    } catch (RuntimeException e) {
      watchAll();
      throw e;
    }
  }

  private synchronized List<String> names() {
    return List.copyOf(watched.keySet());
  }

  private boolean isOldest() {
    for (Member member : grid.hazelcast().getCluster().getMembers()) { // From old to young.
      if (!member.isLiteMember()) {
        return member.localMember();
      }
    }
    return false;
  }

  private void look(String name, boolean isOldest) {
    Job job = grid.hazelcast().getJet().getJob(name);
    if (job == null || job.getStatus() != JobStatus.SUSPENDED) {
      notSuspended(name); // A new coordinator may not know it yet.
      return;
    }
    if (!isOldest && !staysSuspended(name)) {
      return;
    }
    TrainingStatus written = statuses.status(name);
    JobSuspensionCause cause = job.getSuspensionCause();
    if (cause.requestedByUser()) {
      statuses.suspended(name);
    } else if (written != null && written.phase() != Phase.SUSPENDED) {
      act(job, written, cause.errorCause());
    }
  }

  private synchronized void notSuspended(String name) {
    suspendedNanos.remove(name);
  }

  private synchronized boolean staysSuspended(String name) {
    long now = System.nanoTime();
    return now - suspendedNanos.computeIfAbsent(name, any -> now) > PATIENCE_NANOS;
  }

  private void act(Job job, TrainingStatus written, String trace) {
    String name = written.name();
    boolean isToldFailed = written.phase() == Phase.FAILED;
    if (isToldFailed || !Suspension.isLoss(trace)) {
      if (!isToldFailed) {
        statuses.put(written.in(Phase.FAILED, Suspension.text(trace)));
      }
      job.cancel();
    } else if (mayResume(name) && grid.hazelcast().getPartitionService().isClusterSafe()) {
      resumed(name);
      job.resume();
    } else {
      watch(name); // It lasts.
    }
  }

  private synchronized boolean mayResume(String name) {
    Watch watch = watched.get(name);
    return watch != null && System.nanoTime() - watch.resumedNanos() >= SPACING_NANOS;
  }

  private synchronized void resumed(String name) {
    long now = System.nanoTime();
    watched.put(name, new Watch(now + WATCH_NANOS, now));
  }
}
