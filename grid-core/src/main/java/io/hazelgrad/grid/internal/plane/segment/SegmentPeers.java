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
 * What this worker knows of the others as receivers: whether they see its shared memory. Asked once
 * for each, when the first large tensor leaves for it: the other reads a secret from a file and
 * tells it. Names of hosts would not tell: containers share names and not memory, or the other way
 * round.
 */
public final class SegmentPeers {
  /** How a receiver can be reached. */
  public enum Reach {
    /** It sees our shared memory. */
    SHARED,
    /** It can fetch from us. */
    CHUNKS,
    /** Messages only: it has left, is a client, or did not answer. */
    MESSAGES
  }

  public static final String HELLO = "plane.hello";

  /** How long the sender of a first large tensor waits for the answer; then it sends chunks. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final GridContext context;
  private final @Nullable SegmentDirectory folder;
  private final ConcurrentMap<Long, Peer> peers = new ConcurrentHashMap<>();

  /** An answer, or the wait for it; one without an answer is asked for again later. */
  private record Peer(CompletableFuture<Reach> reach, long askedNanos) {
    boolean isStale() {
      return reach.isDone()
          && reach.join() == Reach.MESSAGES
          && System.nanoTime() - askedNanos > RETRY_NANOS;
    }
  }

  public SegmentPeers(GridContext context, @Nullable SegmentDirectory folder) {
    this.context = context;
    this.folder = folder;
  }

  /** Returns how a worker can be reached; waits at most a second, once for each worker. */
  public Reach reach(Worker to) {
    Peer peer = peers.get(to.id());
    if (peer == null || peer.isStale()) {
      Peer mine = new Peer(new CompletableFuture<>(), System.nanoTime());
      boolean first =
          peer == null
              ? peers.putIfAbsent(to.id(), mine) == null
              : peers.replace(to.id(), peer, mine);
      if (first) {
        ask(to, mine.reach);
      }
      peer = peers.getOrDefault(to.id(), mine);
    }
    CompletableFuture<Reach> reach = peer.reach;
    if (reach.isDone()) {
      return reach.join();
    }
    return context.waiting(
        () -> {
          try {
            return reach.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Reach.CHUNKS;
          } catch (ExecutionException | TimeoutException e) {
            return Reach.CHUNKS;
          }
        });
  }

  private void ask(Worker to, CompletableFuture<Reach> reach) {
    try {
      String name = folder == null ? "" : folder.owner();
      CompletableFuture<byte[]> answer = context.call(to, HELLO, List.of(name), TIMEOUT);
      var unused =
          answer.whenComplete(
              (secret, failure) -> {
                if (isTimeout(failure)) { // It is slow; the next large tensor asks again.
                  peers.computeIfPresent(to.id(), (id, p) -> p.reach == reach ? null : p);
                  reach.complete(Reach.CHUNKS);
                } else if (failure != null || secret == null) {
                  reach.complete(Reach.MESSAGES);
                } else if (folder != null && folder.isOurSecret(secret)) {
                  reach.complete(Reach.SHARED);
                } else {
                  reach.complete(Reach.CHUNKS);
                }
              });
    } catch (RuntimeException e) { // It has left, or is a client, which nobody can call.
      reach.complete(Reach.MESSAGES);
    }
  }

  private static boolean isTimeout(@Nullable Throwable failure) {
    return failure != null
        && Causes.of(failure) instanceof GridException e
        && e.status() == Status.TIMEOUT;
  }

  /** Answers another worker's question. */
  public static byte[] answer(List<@Nullable Object> arguments, @Nullable SegmentDirectory folder) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof String owner)) {
      throw new GridException(Status.BAD_ARGUMENT, HELLO + " takes a name: " + arguments);
    }
    return folder == null ? new byte[0] : folder.secretOf(owner);
  }

  public void lost(long worker) {
    peers.remove(worker);
  }
}
