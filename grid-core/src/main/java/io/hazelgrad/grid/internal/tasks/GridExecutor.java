package io.hazelgrad.grid.internal.tasks;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.ExecutorConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** The executors of Hazelcast that carry calls, one for each kind of task. */
enum GridExecutor {
  /** Requests. A function may run, and wait, on the thread of its task. */
  CALLS("hazelgrad.calls"),
  /** Replies that come later, on their way to a member. */
  REPLIES("hazelgrad.replies"),
  /** Questions of clients for such replies, each of which waits on a thread for a moment. */
  POLLS("hazelgrad.polls");

  static final int MOST_POLLS = 128;
  private static final int REPLY_THREADS = 2;

  private final String id;

  GridExecutor(String id) {
    this.id = id;
  }

  /** Sets the numbers of threads; {@code callThreads} is the most that calls can hold at once. */
  static void prepare(Config config, int callThreads) {
    CALLS.size(config, callThreads);
    REPLIES.size(config, REPLY_THREADS);
    POLLS.size(config, MOST_POLLS);
  }

  private void size(Config config, int threads) {
    config.addExecutorConfig(new ExecutorConfig(id, threads));
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
