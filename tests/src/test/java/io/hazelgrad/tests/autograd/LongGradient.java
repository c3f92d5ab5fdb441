package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A function whose gradient takes long, but no processor, so that other work does not change it.
 */
@RemoteFunctions
final class LongGradient {
  static final Duration TIME = Duration.ofMillis(300);

  private LongGradient() {}

  /** Returns twice {@code x}. */
  static Variable twice(Variable x) {
    Variable y = x.add(x);
    y.hook(
        gradient -> {
          for (long end = System.nanoTime() + TIME.toNanos(), left = TIME.toNanos();
              left > 0;
              left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
          }
          return gradient;
        });
    return y;
  }
}
