package io.hazelgrad.autograd.internal.initiator;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.internal.context.ContextRecorder;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.PassScheduler;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each attempt by calls or by a Jet job: by a job if the pass has a name, else as the options
 * say. With AUTO, passes of the same shape share a {@link SchedulerChoice}. Threads: safe.
 */
public final class PassDispatcher implements PassScheduler {
  private static final Logger LOG = LoggerFactory.getLogger(PassDispatcher.class);
  private static final int MAX_SHAPES = 64;

  private final GridContext grid;
  private final ContextRecorder recorder;
  private final PassScheduler calls;
  private final PassScheduler jobs;
  private final Scheduler scheduler;
  private final AtomicLong doneByCalls = new AtomicLong();
  private final AtomicLong doneByJobs = new AtomicLong();

  /** The choices of the shapes that were used last. */
  private final Map<Shape, SchedulerChoice> choices =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Shape, SchedulerChoice> eldest) {
          return size() > MAX_SHAPES;
        }
      };

  /** The size of a plan; passes of equal size are expected to take equally long. */
  private record Shape(int messages, int waves, int participants) {
    static Shape of(Plan plan, Map<Long, UUID> hosts) {
      return new Shape(plan.messages().size(), plan.waves(), hosts.size());
    }

    @Override
    public String toString() {
      return "%s messages in %s waves between %s participants"
          .formatted(messages, waves, participants);
    }
  }

  public PassDispatcher(
      GridContext grid, ContextRecorder recorder, PassScheduler calls, PassScheduler jobs) {
    this.grid = grid;
    this.recorder = recorder;
    this.calls = calls;
    this.jobs = jobs;
    this.scheduler = grid.config().options(AutogradOptions.defaults()).scheduler();
    grid.gauge("autograd.num_passes_by_calls", doneByCalls::get);
    grid.gauge("autograd.num_passes_by_jobs", doneByJobs::get);
  }

  @Override
  public AttemptOutcome run(
      @Nullable String job, PassSpec pass, Plan plan, Map<Long, UUID> hosts, Duration timeout) {
    boolean isChosen = job == null && scheduler == Scheduler.AUTO;
    Shape shape = Shape.of(plan, hosts);
    boolean byJob = isChosen ? next(shape) : job != null || scheduler == Scheduler.JOBS;
    long start = System.nanoTime();
    AttemptOutcome outcome =
        byJob
            ? grid.waiting(() -> jobs.run(job, pass, plan, hosts, timeout))
            : recorder.within(null, () -> calls.run(null, pass, plan, hosts, timeout));
    boolean isDone = outcome instanceof AttemptOutcome.Done;
    if (isDone) {
      (byJob ? doneByJobs : doneByCalls).incrementAndGet();
    }
    if (isChosen) {
      ended(shape, byJob, isDone, System.nanoTime() - start);
    }
    return outcome;
  }

  private boolean next(Shape shape) {
    synchronized (choices) {
      return choice(shape).next();
    }
  }

  private void ended(Shape shape, boolean byJob, boolean isDone, long nanos) {
    synchronized (choices) {
      SchedulerChoice choice = choice(shape);
      if (isDone ? choice.ended(byJob, nanos) : choice.failed(byJob)) {
        LOG.info("Backward passes of {} run by {} from now on", shape, choice);
      }
    }
  }

  private SchedulerChoice choice(Shape shape) {
    return choices.computeIfAbsent(shape, each -> new SchedulerChoice(each.waves));
  }
}
