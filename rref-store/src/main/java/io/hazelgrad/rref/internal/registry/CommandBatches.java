package io.hazelgrad.rref.internal.registry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands in batches, one queue for each partition. If nothing is under way to the
 * partition, a command is sent at once. Commands that come meanwhile are sent together when a reply
 * arrives. A single command therefore does not wait, and under load each command costs less. A
 * command that nobody waits for lingers for a moment, so that others can join it.
 *
 * <p>Commands of one partition keep their order. If a batch fails, each of its commands fails, and
 * its sender decides whether to retry. Threads: safe. Futures are completed on the thread that
 * brings the reply.
 */
public final class CommandBatches<C> {
  /** The most commands in a member's batch: some tens of microseconds on the partition thread. */
  public static final int MOST = 256;

  /** A queue of this size is sent even if nobody waits for any of its commands. */
  private static final int ENOUGH = 64;

  /** Sends a batch to a partition; the replies come in the same order. */
  public interface Sender<C> {
    CompletionStage<int[]> send(int partition, List<C> batch);
  }

  private record Waiting<C>(C command, CompletableFuture<Integer> reply) {}

  private final int most;
  private final int mostUnderWay;
  private final Sender<C> sender;
  private final Consumer<Runnable> later;
  private final List<Queue> queues;

  /** The queues whose commands only linger: nothing is under way to their partition. */
  private final java.util.Queue<Queue> lingering = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean flushing = new AtomicBoolean();

  /**
   * Creates the queues, for at most {@code most} commands in a batch and {@code mostUnderWay}
   * batches to a partition. {@code later} runs something a little later, on any thread.
   */
  public CommandBatches(
      int partitions, int most, int mostUnderWay, Sender<C> sender, Consumer<Runnable> later) {
    this.later = later;
    this.most = most;
    this.mostUnderWay = mostUnderWay;
    this.sender = sender;
    this.queues = new ArrayList<>(partitions);
    for (int i = 0; i < partitions; i++) {
      queues.add(new Queue(i));
    }
  }

  /** Adds a command, urgent if somebody waits for its reply; the future gives the reply. */
  public CompletableFuture<Integer> submit(int partition, C command, boolean urgent) {
    return queues.get(partition).add(command, urgent);
  }

  /** Sends the commands that lingered. */
  private void flush() {
    flushing.set(false);
    for (Queue queue = lingering.poll(); queue != null; queue = lingering.poll()) {
      queue.flush();
    }
  }

  /** The commands that wait for one partition. */
  private final class Queue {
    private final int partition;

    // Guarded by this.
    private final Deque<Waiting<C>> waiting = new ArrayDeque<>(0);
    private int underWay;

    /** True if this queue is in {@link #lingering}. */
    private boolean lingers;

    Queue(int partition) {
      this.partition = partition;
    }

    CompletableFuture<Integer> add(C command, boolean urgent) {
      Waiting<C> one = new Waiting<>(command, new CompletableFuture<>());
      List<Waiting<C>> batch = null;
      boolean linger = false;
      synchronized (this) {
        waiting.add(one);
        if (urgent || waiting.size() >= ENOUGH) {
          batch = next();
        } else if (underWay == 0 && !lingers) { // Otherwise the next reply sends it.
          lingers = true;
          linger = true;
        }
      }
      send(batch);
      if (linger) {
        lingering.add(this);
        if (flushing.compareAndSet(false, true)) {
          later.accept(CommandBatches.this::flush);
        }
      }
      return one.reply();
    }

    void flush() {
      List<Waiting<C>> batch;
      synchronized (this) {
        lingers = false;
        batch = next();
      }
      send(batch);
    }

    /** Removes the next batch; null if nothing waits or enough is under way. */
    private @Nullable List<Waiting<C>> next() {
      if (underWay == mostUnderWay || waiting.isEmpty()) {
        return null;
      }
      underWay++;
      int size = Math.min(most, waiting.size());
      List<Waiting<C>> batch = new ArrayList<>(size);
      while (batch.size() < size) {
        batch.add(waiting.remove());
      }
      return batch;
    }

    private void send(@Nullable List<Waiting<C>> batch) {
      if (batch == null) {
        return;
      }
      CompletionStage<int[]> sent;
      try {
        sent = sender.send(partition, batch.stream().map(Waiting::command).toList());
      } catch (RuntimeException e) {
        sent = CompletableFuture.failedFuture(e);
      }
      var unused =
          sent.whenCompleteAsync(
              (replies, failure) -> ended(batch, replies, failure), Runnable::run);
    }

    private void ended(
        List<Waiting<C>> batch, int @Nullable [] replies, @Nullable Throwable failure) {
      List<Waiting<C>> next;
      synchronized (this) {
        underWay--;
        next = next();
      }
      send(next); // Before the futures are completed, so that the partition has work meanwhile.
      for (int i = 0; i < batch.size(); i++) {
        CompletableFuture<Integer> reply = batch.get(i).reply();
        if (replies != null) {
          reply.complete(replies[i]);
        } else {
          reply.completeExceptionally(
              failure != null ? failure : new IllegalStateException("no replies"));
        }
      }
    }
  }
}
