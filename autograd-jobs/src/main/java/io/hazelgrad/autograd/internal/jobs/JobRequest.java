package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.Job;
import io.hazelgrad.grid.spi.GridContext;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Jet to end or restart a job, without waiting for it. Jet refuses while the job starts, and
 * forgets what it was asked when its coordinator dies; so it is asked again every few seconds as
 * long as the job's processor lives. Not safe for several threads.
 */
final class JobRequest {
  private static final Logger LOG = LoggerFactory.getLogger(JobRequest.class);
  private static final long RETRY_NANOS = 3_000_000_000L;

  private final GridContext grid;
  private final long jobId;
  private final Consumer<Job> request;
  private long askedNanos;
  private boolean wasAsked;

  JobRequest(GridContext grid, long jobId, Consumer<Job> request) {
    this.grid = grid;
    this.jobId = jobId;
    this.request = request;
  }

  /** Asks, unless it did so a moment ago. */
  void ask() {
    long now = System.nanoTime();
    if (wasAsked && now - askedNanos < RETRY_NANOS) {
      return;
    }
    wasAsked = true;
    askedNanos = now;
    try {
      grid.background().execute(this::send);
    } catch (RejectedExecutionException e) {
      // This worker leaves, so Jet ends this start of the job anyway.
    }
  }

  private void send() {
    try {
      Job job = grid.hazelcast().getJet().getJob(jobId);
      if (job != null) { // A new coordinator may not know it yet.
        request.accept(job);
      }
    } catch (RuntimeException e) { // It starts or ends, or its coordinator goes down.
      LOG.debug("Jet refused a request for job {}", jobId, e);
    }
  }
}
