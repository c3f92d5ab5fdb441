package io.hazelgrad.tests.conformance;

import io.hazelgrad.tests.Leftovers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith({FourWorkers.class, Leftovers.class})
class FaultTest {
  @Nested
  class Fault extends Faulting {}

  @Nested
  class Profiler extends Profiling {}
}
