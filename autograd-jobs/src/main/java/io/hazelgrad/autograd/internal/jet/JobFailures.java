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

/** What becomes of exceptions on their way from a participant to the submitter. */
final class JobFailures {
  private static final List<Class<? extends Throwable>> MEMBER_LOST =
      List.of(
          MemberLeftException.class,
          TargetNotMemberException.class,
          TargetDisconnectedException.class,
          TopologyChangedException.class,
          RestartableException.class, // Torn connections, before anybody says that a member left.
          HazelcastClientOfflineException.class,
          HazelcastInstanceNotActiveException.class);

  /** What Jet says where it has no class: of a target that is leaving, and of a torn connection. */
  private static final List<String> MEMBER_LOST_WORDS =
      List.of("not present in the cluster", "client isn't connected to the cluster");

  private static final Pattern TOLD =
      Pattern.compile(Pattern.quote(GridException.class.getName()) + ": (\\w+): (.*)");

  private JobFailures() {}

  /**
   * Returns an exception that the submitter can read. Hazelcast sends exceptions by Java
   * serialization; a cause of a class that the submitter does not know, or does not allow, would
   * hide the whole. So causes become text, and stack traces stay.
   *
   * @param where what to say of an exception that is no GridException
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
   * Returns the GridException that an exception tells of in its message, or null: of a normal job
   * that has failed before anybody waited for it, Jet has the text only.
   */
  static @Nullable GridException told(Throwable failure) {
    Matcher told = TOLD.matcher(String.valueOf(failure.getMessage()));
    if (!told.find()) {
      return null;
    }
    Status status = Status.byName(told.group(1));
    return status == null ? null : new GridException(status, told.group(2), true, null, failure);
  }

  /** Returns whether an exception says that a member left, or cannot be reached just now. */
  static boolean saysMemberLost(Throwable failure) {
    return find(
            failure,
            each ->
                MEMBER_LOST.stream().anyMatch(type -> type.isInstance(each))
                    || MEMBER_LOST_WORDS.stream()
                        .anyMatch(String.valueOf(each.getMessage())::contains))
        != null;
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
