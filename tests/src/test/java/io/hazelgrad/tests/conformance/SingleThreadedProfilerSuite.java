package io.hazelgrad.tests.conformance;

import io.hazelgrad.tests.PeerTest;
import org.junit.jupiter.api.Test;

/** Tests of {@link ProfilerSuite} where each worker runs one function at a time. */
abstract class SingleThreadedProfilerSuite {
  /** Runs a test of that class. */
  abstract void run(String test) throws Throwable;

  @Test
  @PeerTest("test_profiler_remote_events_profiled_single_threaded")
  void profileHasEventsOfCallee() throws Throwable {
    run("profileHasEventsOfCallee");
  }

  @Test
  @PeerTest("test_rpc_profiling_async_function_single_threaded")
  void profileHasNestedCallOfAsyncFunction() throws Throwable {
    run("profileHasNestedCallOfAsyncFunction");
  }

  @Test
  @PeerTest("test_profiler_with_autograd_context_single_threaded")
  void profileWorksInsideAndAroundContext() throws Throwable {
    run("profileWorksInsideAndAroundContext");
  }

  @Test
  @PeerTest({
    "test_profiler_with_sync_rpc_udf_single_threaded",
    "test_profiler_with_script_sync_rpc_single_threaded"
  })
  void profileHasSyncCallOfFunction() throws Throwable {
    run("profileHasSyncCallOfFunction");
  }

  @Test
  @PeerTest("test_profiler_with_sync_rpc_builtin_single_threaded")
  void profileHasSyncCallOfOperator() throws Throwable {
    run("profileHasSyncCallOfOperator");
  }

  @Test
  @PeerTest({
    "test_profiler_with_async_rpc_udf_single_threaded",
    "test_profiler_with_script_async_rpc_single_threaded"
  })
  void profileHasAsyncCallOfFunction() throws Throwable {
    run("profileHasAsyncCallOfFunction");
  }

  @Test
  @PeerTest("test_profiler_with_async_rpc_builtin_single_threaded")
  void profileHasAsyncCallOfOperator() throws Throwable {
    run("profileHasAsyncCallOfOperator");
  }

  @Test
  @PeerTest({
    "test_profiler_with_remote_udf_single_threaded",
    "test_profiler_with_script_remote_rpc_single_threaded"
  })
  void profileHasCreationByFunction() throws Throwable {
    run("profileHasCreationByFunction");
  }

  @Test
  @PeerTest("test_profiler_with_remote_builtin_single_threaded")
  void profileHasCreationByOperator() throws Throwable {
    run("profileHasCreationByOperator");
  }
}
