package io.hazelgrad.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of what a failure says about the threads of a process. */
class ThreadDumpsTest {
  private static final long NOBODY = Integer.MAX_VALUE;

  @Test
  void failureShowsThreadsOfTheProcess() {
    AssertionError failure = new AssertionError("not within 1 ms");

    ThreadDumps.add(failure, "A", ProcessHandle.current().pid());

    assertThat(failure.getSuppressed())
        .singleElement()
        .asString()
        .contains("threads of worker A", "failureShowsThreadsOfTheProcess");
  }

  @Test
  void failureStaysWhenTheProcessHasGone() {
    AssertionError failure = new AssertionError("not within 1 ms");

    ThreadDumps.add(failure, "A", NOBODY);

    assertThat(failure.getSuppressed()).singleElement().asString().contains("threads of worker A");
  }
}
