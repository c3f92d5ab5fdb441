package io.hazelgrad.tests.plane;

import org.junit.jupiter.api.BeforeAll;

/** Large tensors by streams between processes that share no memory. */
class StreamsOfJvmsTest extends WithoutSharedMemory {
  @BeforeAll
  static void start() {
    startWithoutSharedMemory();
  }
}
