package io.hazelgrad.bench;

import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.bench.training.JobsFit;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/**
 * Measures the steps of a training job on two workers without snapshots and with the default ones,
 * by turns in one run, and the part of the time that the snapshots take.
 */
final class JobsBench extends Bench {
  private static final int ROUNDS = 9;
  private static final int STEPS = 1_500;
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration LIMIT = Duration.ofMinutes(5);

  JobsBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    train(NEVER); // Both JVMs compile what follows.
    Duration usual = TrainingOptions.builder().build().snapshotEvery();
    double[][] rates = new double[2][ROUNDS];
    double[][] processor = new double[2][ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      for (int with = 0; with < 2; with++) {
        train(with == 0 ? NEVER : usual);
        rates[with][i] = JobsFit.rate(STEPS);
        processor[with][i] = JobsFit.processorMicros(STEPS);
      }
    }
    for (int with = 0; with < 2; with++) {
      Map<String, Object> params = Map.of("snapshots", with == 1);
      report("job_steps", params, median(rates[with]), "steps/s", ROUNDS * STEPS);
      report("job_processor_time", params, median(processor[with]), "us", ROUNDS * STEPS);
    }
    report("job_snapshot_share", Map.of("of", "time"), share(rates[1], rates[0]), "%", ROUNDS);
    report(
        "job_snapshot_share",
        Map.of("of", "processor time"),
        share(processor[0], processor[1]),
        "%",
        ROUNDS);
  }

  /** Returns the median, over the rounds, of how much less one value is than the other. */
  private static double share(double[] less, double[] more) {
    double[] shares = new double[ROUNDS];
    Arrays.setAll(shares, i -> 100 * (1 - less[i] / more[i]));
    return median(shares);
  }

  private static double median(double[] values) {
    return Arrays.stream(values).sorted().toArray()[values.length / 2];
  }

  private void train(Duration snapshotEvery) {
    TrainingOptions options =
        TrainingOptions.builder()
            .batch(JobsFit.BATCH)
            .steps(STEPS)
            .snapshotEvery(snapshotEvery)
            .build();
    TrainingJob job = TrainingJobs.on(caller).start("bench", new JobsFit(STEPS), options);
    var unused = job.await(LIMIT);
    job.forget();
  }
}
