package io.hazelgrad.tests.plane;

import org.junit.jupiter.api.BeforeAll;

/** Large tensors between processes that share no memory, by streams. */
class StreamsOfJvmsTest extends WithoutSharedMemory {
  @BeforeAll
  static void start() {
    startWithoutSharedMemory();
  }
}
