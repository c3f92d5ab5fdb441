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
 * Sends commands in groups: one that comes while nothing is under way to its partition goes at
 * once, and those that come meanwhile go together when there is an answer. So a command that is
 * alone waits for nothing, and the more there are, the less each of them costs. One for whose
 * answer nobody waits stays for a moment, to go with others.
 *
 * <p>Commands of one partition keep their order. When a group fails, each of its commands does, and
 * the sender of each decides whether to send it again. Threads: safe. Futures are completed on the
 * thread that brings the answer.
 *
 * @param <C> a command
 */
final class CommandBatches<C> {
  /** The most commands in one group: some tens of microseconds of a partition's thread. */
  static final int MOST = 256;

  /** So many are worth a group of their own, even if they could wait. */
  private static final int ENOUGH = 64;

  /** Sends a group to a partition; gives the replies in the same order. */
  interface Sending<C> {
    CompletionStage<int[]> send(int partition, List<C> group);
  }

  private record Waiting<C>(C command, CompletableFuture<Integer> answer) {}

  private final int mostUnderWay;
  private final Sending<C> sending;
  private final Consumer<Runnable> inAMoment;
  private final List<Queue> queues;

  /** The queues in which something waits for no answer, but for the moment to end. */
  private final java.util.Queue<Queue> lingering = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean flushing = new AtomicBoolean();

  /**
   * Makes the queues.
   *
   * @param mostUnderWay how many groups may be under way to a partition at a time
   * @param inAMoment runs something a little later, on any thread
   */
  CommandBatches(
      int partitions, int mostUnderWay, Sending<C> sending, Consumer<Runnable> inAMoment) {
    this.inAMoment = inAMoment;
    this.mostUnderWay = mostUnderWay;
    this.sending = sending;
    this.queues = new ArrayList<>(partitions);
    for (int i = 0; i < partitions; i++) {
      queues.add(new Queue(i));
    }
  }

  /**
   * Brings a command; the future gives its reply.
   *
   * @param urgent whether somebody waits for the answer
   */
  CompletableFuture<Integer> submit(int partition, C command, boolean urgent) {
    return queues.get(partition).add(command, urgent);
  }

  /** Sends what has waited for a moment. */
  private void flush() {
    flushing.set(false);
    for (Queue queue = lingering.poll(); queue != null; queue = lingering.poll()) {
      queue.flush();
    }
  }

  /** What waits for one partition. */
  private final class Queue {
    private final int partition;

    // All under the lock, which is this.
    private final Deque<Waiting<C>> waiting = new ArrayDeque<>(0);
    private int underWay;

    /** Whether it is among those that {@link #flush} looks at. */
    private boolean lingers;

    Queue(int partition) {
      this.partition = partition;
    }

    CompletableFuture<Integer> add(C command, boolean urgent) {
      Waiting<C> one = new Waiting<>(command, new CompletableFuture<>());
      List<Waiting<C>> group = null;
      boolean linger = false;
      synchronized (this) {
        waiting.add(one);
        if (urgent || waiting.size() >= ENOUGH) {
          group = next();
        } else if (underWay == 0 && !lingers) { // Else it goes when there is an answer.
          lingers = true;
          linger = true;
        }
      }
      send(group);
      if (linger) {
        lingering.add(this);
        if (flushing.compareAndSet(false, true)) {
          inAMoment.accept(CommandBatches.this::flush);
        }
      }
      return one.answer();
    }

    void flush() {
      List<Waiting<C>> group;
      synchronized (this) {
        lingers = false;
        group = next();
      }
      send(group);
    }

    /** Takes the next group out, null if nothing waits or enough is under way. */
    private @Nullable List<Waiting<C>> next() {
      if (underWay == mostUnderWay || waiting.isEmpty()) {
        return null;
      }
      underWay++;
      int size = Math.min(MOST, waiting.size());
      List<Waiting<C>> group = new ArrayList<>(size);
      while (group.size() < size) {
        group.add(waiting.remove());
      }
      return group;
    }

    private void send(@Nullable List<Waiting<C>> group) {
      if (group == null) {
        return;
      }
      CompletionStage<int[]> sent;
      try {
        sent = sending.send(partition, group.stream().map(Waiting::command).toList());
      } catch (RuntimeException e) {
        sent = CompletableFuture.failedFuture(e);
      }
      var unused =
          sent.whenCompleteAsync(
              (replies, failure) -> ended(group, replies, failure), Runnable::run);
    }

    private void ended(
        List<Waiting<C>> group, int @Nullable [] replies, @Nullable Throwable failure) {
      List<Waiting<C>> next;
      synchronized (this) {
        underWay--;
        next = next();
      }
      send(next); // First: the partition need not wait for those who hear the answers.
      for (int i = 0; i < group.size(); i++) {
        CompletableFuture<Integer> answer = group.get(i).answer();
        if (replies != null) {
          answer.complete(replies[i]);
        } else {
          answer.completeExceptionally(
              failure != null ? failure : new IllegalStateException("no replies"));
        }
      }
    }
  }
}
