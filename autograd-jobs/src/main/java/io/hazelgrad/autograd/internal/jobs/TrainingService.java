package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.JobAlreadyExistsException;
import io.hazelgrad.autograd.internal.jobs.lifecycle.Resumer;
import io.hazelgrad.autograd.internal.jobs.lifecycle.StatusStore;
import io.hazelgrad.autograd.internal.jobs.lifecycle.TrainerChoice;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Starts and finds training jobs, and gives their processors what they need of the grid. */
final class TrainingService implements TrainingJobs {
  private static final String KEY = "io.hazelgrad.autograd.training";

  /** The jobs whose last steps are remembered. */
  private static final int MOST_JOBS = 64;

  private final GridContext grid;
  private final StatusStore statuses;
  private final SnapshotStore snapshots;
  private final Resumer resumer;
  private final Map<Long, LocalRun> runs = new LimitedMap<>(MOST_JOBS);
  private final Map<Long, TrainerChoice> choices = new LimitedMap<>(MOST_JOBS);

  TrainingService(GridContext grid) {
    this.grid = grid;
    this.statuses = new StatusStore(grid);
    this.snapshots = new SnapshotStore(grid);
    this.resumer = new Resumer(grid, statuses);
    if (!grid.isClient()) {
      grid.onLost(lost -> resumer.watchAll());
      grid.onResume(resumer::watchAll);
    }
    Map<String, Object> members = grid.hazelcast().getUserContext();
    members.put(KEY, this);
    grid.onClose(() -> members.remove(KEY, this));
  }

  /** Returns the service on a member; the job is restarted if the member has none, as it leaves. */
  static TrainingService on(HazelcastInstance hazelcast) {
    if (hazelcast.getUserContext().get(KEY) instanceof TrainingService service) {
      return service;
    }
    throw TrainerProcessor.restart(
        new GridException(Status.CLOSED, "member " + hazelcast.getName() + " has no worker"));
  }

  /** Has a training watched whose start has failed. A member that leaves watches nothing. */
  static void noteFailedStart(HazelcastInstance hazelcast, String training) {
    if (hazelcast.getUserContext().get(KEY) instanceof TrainingService service) {
      service.resumer.watch(training);
    }
  }

  GridContext grid() {
    return grid;
  }

  StatusStore statuses() {
    return statuses;
  }

  SnapshotStore snapshots() {
    return snapshots;
  }

  /** Removes all that is kept of a job. */
  void forget(String name) {
    snapshots.delete(name);
    statuses.delete(name);
  }

  TrainingTask read(byte[] task) {
    return (TrainingTask) Objects.requireNonNull(grid.fromBytes(task));
  }

  /** Returns what the processors of a job on this member share. */
  LocalRun run(long jobId, TrainingOptions options) {
    synchronized (runs) {
      return runs.computeIfAbsent(jobId, job -> new LocalRun(options));
    }
  }

  /**
   * Chooses the trainers for a start of a job, the same for all its vertices.
   *
   * @param members the members that take part: one that has just joined does not yet
   */
  TrainerChoice choose(long execution, long jobId, byte[] task, Set<Address> members) {
    synchronized (choices) {
      return choices.computeIfAbsent(execution, start -> choose(jobId, task, members));
    }
  }

  /** The first start waits for all; later ones leave out those that are not ready. */
  private TrainerChoice choose(long jobId, byte[] bytes, Set<Address> members) {
    TrainingTask task = read(bytes);
    TrainerChoice all = TrainerChoice.of(grid, task.options(), worker -> true, members::contains);
    TrainingStatus last = statuses.status(task.name());
    if (last == null || last.step() == 0) {
      return all;
    }
    Set<String> ready = new Readiness(grid, jobId, bytes).ready(all.trainers().values());
    TrainerChoice some = TrainerChoice.of(grid, task.options(), ready::contains, members::contains);
    return some.trainers().size() < task.options().minTrainers() ? all : some;
  }

  /** Returns whether a trainer of a job could begin here at once, and prepares for it. */
  boolean isReady(long jobId, byte[] bytes) {
    TrainingTask task = read(bytes);
    return run(jobId, task.options()).isReady(task.program(), grid.background());
  }

  /** Has the job deal nothing for a time; returns whether a snapshot has all steps. */
  boolean hold(String name, long millis) throws InterruptedException {
    Job job = grid.hazelcast().getJet().getJob(name);
    LocalRun run;
    synchronized (runs) {
      run = job == null ? null : runs.get(job.getId());
    }
    return run != null && run.holdAndSettle(millis);
  }

  // ---- Jobs ----

  @Override
  public TrainingJob start(
      String name,
      TrainingProgram<?, ?> program,
      TrainingOptions options,
      @Nullable Checkpoint from) {
    TrainingTask task =
        new TrainingTask(name, program, options, from == null ? null : StartState.of(from));
    byte[] bytes = grid.toBytes(task);
    if (isRunning(name)) {
      throw taken(name, null);
    }
    forget(name);
    statuses.put(StatusWriter.begun(name, Phase.STARTING, ""));
    try {
      grid.hazelcast().getJet().newJob(TrainingDag.of(task, bytes), TrainingDag.config(name));
    } catch (JobAlreadyExistsException e) {
      throw taken(name, e);
    }
    return new GridTrainingJob(this, name);
  }

  private boolean isRunning(String name) {
    Job job = grid.hazelcast().getJet().getJob(name);
    return job != null && !job.getStatus().isTerminal();
  }

  private static GridException taken(String name, @Nullable Exception cause) {
    return new GridException(
        Status.NAME_TAKEN,
        "a job named " + name + " runs; cancel it or choose another name",
        cause);
  }

  @Override
  public @Nullable TrainingJob find(String name) {
    return statuses.status(name) == null ? null : new GridTrainingJob(this, name);
  }

  @Override
  public List<String> names() {
    return List.copyOf(new TreeSet<>(statuses.names()));
  }
}
