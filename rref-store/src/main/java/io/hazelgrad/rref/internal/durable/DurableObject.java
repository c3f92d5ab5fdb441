package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What its owner does to keep a durable object: writes checkpoints, one at a time, and counts the
 * calls that use it, so that it can be handed over between two of them.
 *
 * <p>Whoever asks for a checkpoint gets one that was begun after that: while one is written, all
 * who ask share the next one. The value is written in the object's monitor, so that what
 * synchronized methods do is seen whole.
 *
 * <p>Threads: safe.
 */
public final class DurableObject {
  /** Why an object is dropped that nobody will want any more. */
  private static final Set<Status> ENDS =
      Set.of(Status.RREF_GONE, Status.RREF_FAILED, Status.RREF_TIMED_OUT);

  private final RRefId id;
  private final @Nullable Object value;
  private final int epoch;
  private final Durability durability;
  private final DurableObjects home;

  // Guarded by this.
  private long version;
  private boolean writing;
  private @Nullable CompletableFuture<Void> following;
  private int users;
  private @Nullable CompletableFuture<Void> closing;
  private boolean ended;

  /**
   * Makes what keeps an object.
   *
   * @param epoch the number of this owner, counted from 1
   */
  DurableObject(
      RRefId id, @Nullable Object value, int epoch, Durability durability, DurableObjects home) {
    this.id = id;
    this.value = value;
    this.epoch = epoch;
    this.durability = durability;
    this.home = home;
  }

  public RRefId id() {
    return id;
  }

  public int epoch() {
    return epoch;
  }

  boolean isStoredWithEveryReply() {
    return durability == Durability.EVERY_REPLY;
  }

  /**
   * Returns the value as it would be stored now.
   *
   * @throws GridException BAD_VALUE or NOT_ALLOWED if it cannot be
   */
  byte[] encode() {
    if (value == null) {
      return home.encode(id, null);
    }
    synchronized (value) {
      return home.encode(id, value);
    }
  }

  /**
   * Stores the object as it is now, or a moment later. The future is the caller's own.
   *
   * @return a future that fails with BAD_VALUE or NOT_ALLOWED if the value cannot be stored, and
   *     with WORKER_LOST if the object has another owner
   */
  public CompletableFuture<Void> checkpoint() {
    synchronized (this) {
      if (writing) {
        if (following == null) {
          following = new CompletableFuture<>();
        }
        return following.copy();
      }
      writing = true;
    }
    return write(new CompletableFuture<>()).copy();
  }

  private CompletableFuture<Void> write(CompletableFuture<Void> done) {
    try {
      byte[] bytes = encode();
      store(bytes, done);
    } catch (Throwable e) { // The next one shall be tried whatever this one ran into.
      written();
      done.completeExceptionally(e);
    }
    return done;
  }

  private void store(byte[] bytes, CompletableFuture<Void> done) {
    StoredValue stored;
    synchronized (this) {
      stored = new StoredValue(epoch, ++version, durability, bytes);
    }
    var unused =
        home.values()
            .store(id, stored)
            .whenComplete(
                (accepted, failure) -> {
                  written();
                  if (failure != null) {
                    done.completeExceptionally(failure);
                  } else if (accepted) {
                    done.complete(null);
                  } else {
                    done.completeExceptionally(moved(id));
                  }
                });
  }

  private void written() {
    CompletableFuture<Void> next;
    boolean remove;
    synchronized (this) {
      next = following;
      following = null;
      writing = next != null;
      remove = ended && !writing;
    }
    if (next != null) {
      home.background()
          .execute(
              () -> {
                var unused = write(next);
              });
    } else if (remove) {
      remove();
    }
  }

  /** Makes the error for those who come to an owner that the object has left. */
  public static GridException moved(RRefId id) {
    return new GridException(
        Status.WORKER_LOST, id + " is not here any more: another worker has it, or will have it");
  }

  // ---- Calls that use the object ----

  /**
   * Says that a call begins to use the object.
   *
   * @throws GridException WORKER_LOST if it is being handed over
   */
  synchronized void beginUse() {
    if (closing != null) {
      throw moved(id);
    }
    users++;
  }

  void endUse() {
    CompletableFuture<Void> free;
    synchronized (this) {
      users--;
      free = users == 0 ? closing : null;
    }
    if (free != null) {
      free.complete(null);
    }
  }

  /** Lets no more calls use the object; the future ends when none does. */
  CompletableFuture<Void> awaitUnused() {
    CompletableFuture<Void> free;
    boolean now;
    synchronized (this) {
      free = closing == null ? new CompletableFuture<>() : closing;
      closing = free;
      now = users == 0;
    }
    if (now) {
      free.complete(null);
    }
    return free;
  }

  // ---- The end ----

  /** The owner has dropped the object; if it ended for all, what is stored of it goes, too. */
  public void dropped(GridException reason) {
    home.forget(this);
    var unused = awaitUnused(); // From now on.
    synchronized (this) {
      ended = ENDS.contains(reason.status());
      if (!ended || writing) { // What is being written would come back.
        return;
      }
    }
    remove();
  }

  private void remove() {
    var unused =
        home.values().remove(id, epoch); // If that fails, the next round of the sweep does it.
  }
}
