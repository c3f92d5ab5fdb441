package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.ExecutorConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.spi.Handler;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** The executors of Hazelcast that carry our tasks, one for each kind. */
enum GridExecutor {
  /** Requests. One function of each lane may run, and wait, on the thread of its task. */
  CALLS("hazelgrad.calls", Handler.Lane.values().length + 2),
  /** Late replies on their way to a member. */
  REPLIES("hazelgrad.replies", 2),
  /** Polls of clients for late replies. Each poll occupies a thread for up to 200 ms. */
  POLLS("hazelgrad.polls", 128),
  /** Questions of one member to another about the cluster. */
  CONTROL("hazelgrad.control", 1);

  private final String id;

  /** A small number: Hazelcast wakes one more thread for each task of a burst, up to this limit. */
  private final int threads;

  GridExecutor(String id, int threads) {
    this.id = id;
    this.threads = threads;
  }

  static void prepare(Config config) {
    for (GridExecutor each : values()) {
      config.addExecutorConfig(new ExecutorConfig(each.id, each.threads));
    }
  }

  /**
   * Returns the executor of an instance. This may ask a member, so it is not done for each task.
   */
  IExecutorService of(HazelcastInstance hazelcast) {
    return hazelcast.getExecutorService(id);
  }

  /** Submits a task to a member. Nothing is thrown: the future fails. */
  static <T> CompletableFuture<T> submit(
      IExecutorService executor, Callable<T> task, Member member) {
    try {
      // The public type is Future; members and clients of 5.5 to 5.7 return this subtype.
      return (CompletableFuture<T>) executor.submitToMember(task, member);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
