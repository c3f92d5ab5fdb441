package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.MemberLeftException;
import com.hazelcast.jet.RestartableException;
import com.hazelcast.jet.core.TopologyChangedException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts exceptions on their way from a participant to the submitter of a job. */
final class JobFailures {
  private static final List<Class<? extends Throwable>> MEMBER_LOST =
      List.of(
          MemberLeftException.class,
          TargetNotMemberException.class,
          TargetDisconnectedException.class,
          TopologyChangedException.class,
          RestartableException.class, // A broken connection, before a member is reported lost.
          HazelcastClientOfflineException.class,
          HazelcastInstanceNotActiveException.class);

  /** Jet's messages without a class of their own: a leaving target, and a broken connection. */
  private static final List<String> MEMBER_LOST_WORDS =
      List.of("not present in the cluster", "client isn't connected to the cluster");

  private static final Pattern TEXT =
      Pattern.compile(Pattern.quote(GridException.class.getName()) + ": (\\w+): (.*)");

  private JobFailures() {}

  /**
   * Returns an exception that the submitter can read. Hazelcast sends exceptions by Java
   * serialization, and a cause of a class that the submitter does not know or allow would hide the
   * whole exception. So causes become text; stack traces stay.
   *
   * @param where the prefix for an exception that is no GridException
   */
  static GridException portable(Throwable failure, String where) {
    GridException error = gridException(failure);
    if (error != null && error.getCause() == null && error.getSuppressed().length == 0) {
      return error;
    }
    GridException portable =
        error == null
            ? new GridException(Status.PASS_FAILED, where + ": " + failure)
            : new GridException(
                error.status(),
                error.getMessage()
                    + (error.getCause() == null ? "" : ", caused by " + error.getCause()),
                error.mayHaveRun(),
                error.remote(),
                null);
    portable.setStackTrace((error == null ? failure : error).getStackTrace());
    return portable;
  }

  /** Returns the outermost GridException among an exception and its causes, or null. */
  static @Nullable GridException gridException(Throwable failure) {
    return (GridException) find(failure, each -> each instanceof GridException);
  }

  /**
   * Returns the GridException in the message of an exception, or null. If a normal job fails before
   * the submitter waits for it, Jet keeps only the text.
   */
  static @Nullable GridException fromText(Throwable failure) {
    Matcher text = TEXT.matcher(String.valueOf(failure.getMessage()));
    if (!text.find()) {
      return null;
    }
    Status status = Status.byName(text.group(1));
    return status == null ? null : new GridException(status, text.group(2), true, null, failure);
  }

  /** Returns whether an exception reports that a member left, or cannot be reached now. */
  static boolean isMemberLost(Throwable failure) {
    return find(failure, JobFailures::saysMemberLost) != null;
  }

  private static boolean saysMemberLost(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return MEMBER_LOST.stream().anyMatch(type -> type.isInstance(failure))
        || MEMBER_LOST_WORDS.stream().anyMatch(message::contains);
  }

  static @Nullable Throwable find(Throwable failure, Predicate<Throwable> wanted) {
    int depth = 0;
    for (Throwable each = failure; each != null && depth++ < 50; each = each.getCause()) {
      if (wanted.test(each)) {
        return each;
      }
    }
    return null;
  }
}
