package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.jet.core.metrics.Metrics;
import com.hazelcast.jet.core.metrics.Unit;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import java.util.Objects;

/**
 * The Jet metrics of a wave's vertex: the gradients and bytes taken, and the time of the
 * computation. Call it on the thread of the processor.
 */
final class PassMetrics {
  /** The number of gradients taken, without the empty slots of messages. */
  static final String GRADIENTS = "gradients";

  /** The bytes of their elements. */
  static final String BYTES = "bytes";

  /** The time of the computation in milliseconds, rounded. */
  static final String MILLISECONDS = "milliseconds";

  private PassMetrics() {}

  static void taken(GradientMessage message) {
    long gradients = message.gradients().stream().filter(Objects::nonNull).count();
    Metrics.metric(GRADIENTS).increment(gradients);
    Metrics.metric(BYTES, Unit.BYTES).increment(message.bytes());
  }

  static void computed(long nanos) {
    Metrics.metric(MILLISECONDS, Unit.MS).set((nanos + 500_000) / 1_000_000);
  }
}
