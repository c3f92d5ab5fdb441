package io.hazelgrad.grid.internal.concurrent;

import com.hazelcast.core.HazelcastException;
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
    while (isWrapper(cause) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof GridException known) {
      return known;
    }
    String message = Objects.requireNonNullElse(cause.getMessage(), cause.toString());
    if (cause instanceof CancellationException) {
      return as(Status.CANCELLED, "cancelled", true, cause);
    }
    if (cause instanceof TargetNotMemberException) {
      return as(Status.WORKER_LOST, message, false, cause);
    }
    if (cause instanceof MemberLeftException || cause instanceof TargetDisconnectedException) {
      return as(Status.WORKER_LOST, message, true, cause);
    }
    if (cause instanceof OperationTimeoutException) {
      return as(Status.TIMEOUT, message, true, cause);
    }
    if (cause instanceof RejectedExecutionException) {
      return as(Status.REJECTED, message, false, cause);
    }
    if (cause instanceof SplitBrainProtectionException) {
      String refused =
          "refused, since the member that was asked is cut off from most of the others";
      return as(Status.NO_QUORUM, refused, false, cause);
    }
    if (cause instanceof HazelcastInstanceNotActiveException) {
      return as(Status.CLOSED, "the Hazelcast instance is shut down", true, cause);
    }
    if (cause instanceof HazelcastSerializationException) {
      String unreadable =
          "a member cannot read Hazelgrad's messages; every data member needs Hazelgrad on its"
              + " class path and HazelgradConfig.prepare(...): ";
      return as(Status.BAD_CONFIG, unreadable + message, true, cause);
    }
    return as(Status.INTERNAL, cause.toString(), true, cause);
  }

  /** A client wraps the reason why it could not add a listener in a plain HazelcastException. */
  private static boolean isWrapper(Throwable thrown) {
    return thrown instanceof ExecutionException
        || thrown instanceof CompletionException
        || thrown.getClass() == HazelcastException.class;
  }

  private static GridException as(Status status, String message, boolean ran, Throwable cause) {
    return new GridException(status, message, ran, null, cause);
  }

  /** Returns {@link #of}, with the stack trace of the thread that waited: it says who called. */
  public static GridException here(Throwable thrown) {
    GridException failure = of(thrown);
    return copy(failure, failure.mayHaveRun());
  }

  /** Returns the same failure, of a function that has run. */
  public static GridException hasRun(GridException e) {
    return e.mayHaveRun() ? e : copy(e, true);
  }

  private static GridException copy(GridException e, boolean ran) {
    String message = Objects.requireNonNullElse(e.getMessage(), "");
    return new GridException(e.status(), message, ran, e.remote(), e.getCause());
  }

  /** Returns the failure of a wait that was interrupted; the thread stays interrupted. */
  public static GridException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return as(Status.CANCELLED, "interrupted while waiting for a call", true, e);
  }
}
