package io.hazelgrad.autograd.internal.jobs.lifecycle;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.MemberLeftException;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.jet.JetException;
import com.hazelcast.jet.RestartableException;
import com.hazelcast.jet.core.TopologyChangedException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.grid.GridException;
import java.util.List;

/**
 * Reads why Jet has suspended a training. Jet gives the stack trace of the failure as text. The
 * failures of a loss are those after which Jet itself would restart a job.
 */
final class Suspension {
  private static final List<String> LOSSES =
      List.of(
          TopologyChangedException.class.getName(),
          RestartableException.class.getName(),
          MemberLeftException.class.getName(),
          TargetNotMemberException.class.getName(),
          HazelcastInstanceNotActiveException.class.getName(),
          OperationTimeoutException.class.getName(),
          "EnteringPassiveClusterStateException"); // Not public.

  private static final String HEAD = "Execution failure:\n";
  private static final String FRAME = "\n\tat ";

  /** Stands before the text of a failure, once for each of Jet's exceptions around it. */
  private static final String WRAPPED = JetException.class.getName() + ": ";

  /** Stands before the text of a failure of ours that has no exception of Jet around it. */
  private static final String OWN = GridException.class.getName() + ": ";

  private Suspension() {}

  /** Returns whether the failure, or one of its causes, comes from a loss. */
  static boolean isLoss(String trace) {
    return LOSSES.stream().anyMatch(trace::contains);
  }

  /** Returns the text of the failure without its stack and without what Jet puts before it. */
  static String text(String trace) {
    int frames = trace.indexOf(FRAME);
    String text = frames < 0 ? trace : trace.substring(0, frames);
    String own = after(WRAPPED, after(HEAD, text)).strip();
    return own.startsWith(OWN) ? own.substring(OWN.length()) : own;
  }

  private static String after(String mark, String text) {
    int at = text.lastIndexOf(mark);
    return at < 0 ? text : text.substring(at + mark.length());
  }
}
