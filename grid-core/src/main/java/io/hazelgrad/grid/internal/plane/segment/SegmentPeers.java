package io.hazelgrad.grid.internal.plane.segment;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which other workers can receive tensors from this one. Each worker is asked once,
 * when the first large tensor leaves for it: it reads a secret from a file of this worker and
 * returns it. Host names would not do, since containers may share a name but no memory.
 */
public final class SegmentPeers {
  public enum Reach {
    /** The receiver sees this worker's shared memory. */
    SHARED,
    /** The receiver can fetch from this worker. */
    CHUNKS,
    /** Messages only: the receiver has left, is a client, or did not answer. */
    MESSAGES
  }

  public static final String HELLO = "plane.hello";

  /** The longest wait for the answer; after it the tensor leaves by {@link Reach#CHUNKS}. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final GridContext context;
  private final @Nullable SegmentDirectory directory;
  private final ConcurrentMap<Long, Peer> peers = new ConcurrentHashMap<>();

  /** An answer, or the wait for it. A peer that did not answer is asked again later. */
  private record Peer(CompletableFuture<Reach> reach, long askedNanos) {
    boolean isStale() {
      return reach.isDone()
          && reach.join() == Reach.MESSAGES
          && System.nanoTime() - askedNanos > RETRY_NANOS;
    }
  }

  public SegmentPeers(GridContext context, @Nullable SegmentDirectory directory) {
    this.context = context;
    this.directory = directory;
  }

  /** Returns the way to a worker. Waits at most a second, once for each worker. */
  public Reach reach(Worker to) {
    Peer peer = peers.get(to.id());
    if (peer == null || peer.isStale()) {
      Peer old = peer;
      Peer mine = new Peer(new CompletableFuture<>(), System.nanoTime());
      peer = peers.compute(to.id(), (id, it) -> it == null || it.equals(old) ? mine : it);
      if (peer.equals(mine)) {
        ask(to, mine.reach);
      }
    }
    CompletableFuture<Reach> reach = peer.reach;
    if (reach.isDone()) {
      return reach.join();
    }
    return context.waiting(
        () -> {
          try {
            return reach.get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (ExecutionException | TimeoutException e) {
            // Chunks are possible in any case.
          }
          return Reach.CHUNKS;
        });
  }

  private void ask(Worker to, CompletableFuture<Reach> reach) {
    String name = directory == null ? "" : directory.owner;
    CompletableFuture<byte[]> answer = context.tryCall(to, HELLO, List.of(name), TIMEOUT);
    var unused =
        answer.whenComplete(
            (secret, failure) -> {
              if (isTimeout(failure)) { // It is slow; the next large tensor asks again.
                peers.computeIfPresent(to.id(), (id, p) -> p.reach == reach ? null : p);
                reach.complete(Reach.CHUNKS);
              } else if (failure != null || secret == null) {
                reach.complete(Reach.MESSAGES); // It has left, or is a client.
              } else if (directory != null && directory.isOurSecret(secret)) {
                reach.complete(Reach.SHARED);
              } else {
                reach.complete(Reach.CHUNKS);
              }
            });
  }

  private static boolean isTimeout(@Nullable Throwable failure) {
    return failure != null
        && Causes.of(failure) instanceof GridException e
        && e.status() == Status.TIMEOUT;
  }

  /** Answers the question of another worker. */
  public byte[] answer(List<@Nullable Object> arguments) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof String owner)) {
      throw new GridException(Status.BAD_ARGUMENT, HELLO + " takes one string, got " + arguments);
    }
    return directory == null ? new byte[0] : directory.secretOf(owner);
  }

  public void lost(long worker) {
    peers.remove(worker);
  }
}
