package io.hazelgrad.grid.internal.concurrent;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.MemberLeftException;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/** Turns what others throw into a {@link GridException}, in one place. */
public final class ExceptionMapper {
  private ExceptionMapper() {}

  public static GridException of(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof GridException known) {
      return known;
    }
    if (cause instanceof CancellationException) {
      return new GridException(Status.CANCELLED, "cancelled", true, null, cause);
    }
    if (cause instanceof TargetNotMemberException) {
      return new GridException(Status.WORKER_LOST, message(cause), false, null, cause);
    }
    if (cause instanceof MemberLeftException || cause instanceof TargetDisconnectedException) {
      return new GridException(Status.WORKER_LOST, message(cause), true, null, cause);
    }
    if (cause instanceof OperationTimeoutException) {
      return new GridException(Status.TIMEOUT, message(cause), true, null, cause);
    }
    if (cause instanceof RejectedExecutionException) {
      return new GridException(Status.REJECTED, message(cause), false, null, cause);
    }
    if (cause instanceof SplitBrainProtectionException) {
      return new GridException(
          Status.NO_QUORUM,
          "refused, since the member that was asked is cut off from most of the others",
          false,
          null,
          cause);
    }
    if (cause instanceof HazelcastInstanceNotActiveException) {
      return new GridException(
          Status.CLOSED, "the Hazelcast instance is shut down", true, null, cause);
    }
    if (cause instanceof HazelcastSerializationException) {
      return new GridException(
          Status.BAD_CONFIG,
          "a member cannot read Hazelgrad's messages; every data member needs Hazelgrad on its"
              + " class path and HazelgradConfig.prepare(...): "
              + message(cause),
          true,
          null,
          cause);
    }
    return new GridException(Status.INTERNAL, cause.toString(), true, null, cause);
  }

  /** As {@link #of}, with the stack trace of the thread that waited: it says who called. */
  public static GridException here(Throwable thrown) {
    GridException failure = of(thrown);
    return new GridException(
        failure.status(),
        Objects.requireNonNullElse(failure.getMessage(), ""),
        failure.mayHaveRun(),
        failure.remote(),
        failure.getCause());
  }

  /** As the same failure of a function that has run. */
  public static GridException hasRun(GridException e) {
    return e.mayHaveRun()
        ? e
        : new GridException(
            e.status(),
            Objects.requireNonNullElse(e.getMessage(), ""),
            true,
            e.remote(),
            e.getCause());
  }

  /** Returns the failure of a wait that was interrupted; the thread stays interrupted. */
  public static GridException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new GridException(
        Status.CANCELLED, "interrupted while waiting for a call", true, null, e);
  }

  private static String message(Throwable cause) {
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
