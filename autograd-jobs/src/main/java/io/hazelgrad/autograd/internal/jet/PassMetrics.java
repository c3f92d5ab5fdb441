package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.jet.core.metrics.Metrics;
import com.hazelcast.jet.core.metrics.Unit;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What a wave's vertex counts in Jet's metrics: gradients and bytes taken, and how long the worker
 * computed with them. To be called on the processor's own thread.
 */
final class PassMetrics {
  /** Gradients that were taken, without the empty places of messages. */
  static final String GRADIENTS = "gradients";

  /** Bytes of their elements. */
  static final String BYTES = "bytes";

  /** How long the worker computed, rounded. */
  static final String MILLISECONDS = "milliseconds";

  private PassMetrics() {}

  static void taken(GradientMessage message) {
    long gradients = 0;
    long bytes = 0;
    for (@Nullable Tensor each : message.gradients()) {
      if (each != null) {
        gradients++;
        bytes += (long) each.size() * each.dtype().bytes();
      }
    }
    Metrics.metric(GRADIENTS).increment(gradients);
    Metrics.metric(BYTES, Unit.BYTES).increment(bytes);
  }

  static void computed(long nanos) {
    Metrics.metric(MILLISECONDS, Unit.MS).set((nanos + 500_000) / 1_000_000);
  }
}
