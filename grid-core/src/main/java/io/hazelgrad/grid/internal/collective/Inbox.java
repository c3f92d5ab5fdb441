package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.waits.Meeting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The tensors that other members have sent to this one, until it takes them. Threads: safe. */
final class Inbox {
  /** Tensors of one message, with the signature of the sender's round; 0 outside rounds. */
  record Part(long signature, List<Tensor> tensors) {}

  private record Key(int from, long tag) {}

  private static final long LOOK_MILLIS = 50;

  private final GridContext context;
  private final List<Worker> members;
  private final ConcurrentMap<Key, CompletableFuture<Part>> parts = new ConcurrentHashMap<>();

  /** The tensors of users that this member waits for. */
  private final ConcurrentMap<Key, RoundControl> awaited = new ConcurrentHashMap<>();

  private volatile @Nullable GridException failure;

  /** Makes the inbox of a member; {@code members} are all by rank. */
  Inbox(GridContext context, List<Worker> members) {
    this.context = context;
    this.members = members;
  }

  void put(int from, long tag, Part part) {
    if (!slot(new Key(from, tag)).complete(part)) {
      GridException why = failure;
      if (why != null) { // The sender has not heard of it yet.
        throw why;
      }
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the tensors that rank %s sent with tag %s before were not received yet"
              .formatted(from, tag));
    }
  }

  Part take(int from, long tag, RoundControl control) {
    Key key = new Key(from, tag);
    CompletableFuture<Part> slot = slot(key);
    try {
      return slot.isDone() ? slot.get() : context.waiting(() -> await(key, slot, control));
    } catch (ExecutionException e) {
      throw reason(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      parts.remove(key, slot);
    }
  }

  private Part await(Key key, CompletableFuture<Part> slot, RoundControl control) {
    long start = System.nanoTime();
    if (key.tag >= 0) {
      awaited.put(key, control);
    }
    try {
      while (true) {
        control.check(() -> List.of(members.get(key.from)));
        try {
          return slot.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          // The collective may have ended meanwhile, in good order or by the deadline.
        }
      }
    } catch (ExecutionException e) {
      throw reason(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      awaited.remove(key, control);
      control.waitedSince(start);
    }
  }

  /** Returns a meeting of two for each wait for tensors of users. */
  List<Meeting> meetings(String id) {
    List<Meeting> all = new ArrayList<>();
    awaited.forEach(
        (key, control) -> {
          List<Worker> two = List.of(members.get(key.from), context.self());
          all.add(control.meeting(id + key + context.self().id(), two, 1, 0, 0));
        });
    return all;
  }

  /** Returns why the collective has ended; nothing else fails a slot. */
  private static RuntimeException reason(ExecutionException e) {
    return e.getCause() instanceof GridException why ? why : new IllegalStateException(e);
  }

  private static GridException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new GridException(Status.CANCELLED, "a wait for tensors was interrupted", e);
  }

  private CompletableFuture<Part> slot(Key key) {
    CompletableFuture<Part> slot = parts.computeIfAbsent(key, k -> new CompletableFuture<>());
    GridException why = failure;
    if (why != null) { // fail() may have run before the slot was there.
      slot.completeExceptionally(why);
    }
    return slot;
  }

  /** Ends all waits, now and later. */
  void fail(GridException why) {
    failure = why;
    parts.values().forEach(slot -> slot.completeExceptionally(why));
  }
}
