package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Large tensors between processes that share no memory and reach Hazelcast's port only. */
@Tag("slow")
class ChunksOfJvmsTest extends WithoutSharedMemory {
  @BeforeAll
  static void start() {
    startWithoutSharedMemory("-Dhazelgrad.plane.port=-1");
  }

  @AfterAll
  static void noStream() {
    assertThat(figures().streamed().tensors()).isZero();
  }
}
