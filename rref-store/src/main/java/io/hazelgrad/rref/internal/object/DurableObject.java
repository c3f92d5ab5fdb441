package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.StoredValue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The durable side of an object on its owner: it writes checkpoints, one at a time, and counts the
 * calls that use the object, so that the object can be handed over between two calls.
 *
 * <p>A request for a checkpoint is served by one that begins after the request. Requests that come
 * while a checkpoint is written share the next one. The value is written in the object's monitor,
 * so that a checkpoint contains synchronized methods as a whole. Threads: safe.
 */
public final class DurableObject {
  /** An object that is dropped with one of these has ended for all workers. */
  private static final Set<Status> ENDS =
      Set.of(Status.RREF_GONE, Status.RREF_FAILED, Status.RREF_TIMED_OUT);

  private final RRefId id;
  private final @Nullable Object value;

  /** The number of this owner, counted from 1. */
  private final int epoch;

  private final Durability durability;
  private final Services services;

  /** The services of the worker that a durable object needs. */
  public interface Services {
    /** Returns a value as it is stored; throws BAD_VALUE or NOT_ALLOWED if it cannot be stored. */
    byte[] encode(RRefId id, @Nullable Object value);

    StoredValues values();

    Executor background();

    /** Forgets an object that was dropped. */
    void forget(DurableObject object);
  }

  private volatile CompletableFuture<Void> entered = CompletableFuture.completedFuture(null);

  // Guarded by this.
  private long version;
  private boolean writing;
  private @Nullable CompletableFuture<Void> following;
  private int users;
  private @Nullable CompletableFuture<Void> closing;
  private boolean ended;

  public DurableObject(
      RRefId id, @Nullable Object value, int epoch, Durability durability, Services services) {
    this.id = id;
    this.value = value;
    this.epoch = epoch;
    this.durability = durability;
    this.services = services;
  }

  public RRefId id() {
    return id;
  }

  public int epoch() {
    return epoch;
  }

  public boolean isStoredWithEveryReply() {
    return durability == Durability.EVERY_REPLY;
  }

  /** Returns the current value as it is stored; throws as {@link Services#encode}. */
  public byte[] encode() {
    if (value == null) {
      return services.encode(id, null);
    }
    synchronized (value) {
      return services.encode(id, value);
    }
  }

  /**
   * Stores the value of now or of a moment later. The future ends when the registry, too, knows of
   * a stored value. The caller may complete or cancel it. It fails as {@link Services#encode}, and
   * with WORKER_LOST if the object has another owner.
   */
  public CompletableFuture<Void> checkpoint() {
    return store().thenCompose(nothing -> entered.copy());
  }

  /** Stores the value as {@link #checkpoint} does, without the wait for the registry. */
  public CompletableFuture<Void> store() {
    synchronized (this) {
      if (writing) {
        if (following == null) {
          following = new CompletableFuture<>();
        }
        return following.copy();
      }
      writing = true;
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    write(done);
    return done.copy();
  }

  /** Lets checkpoints wait for {@link #entered}. */
  public void awaitEntry() {
    entered = new CompletableFuture<>();
  }

  /** The registry knows of the first checkpoint, or will not because of a failure. */
  public void entered(@Nullable Throwable failure) {
    if (failure == null) {
      entered.complete(null);
    } else {
      entered.completeExceptionally(failure);
    }
  }

  private void write(CompletableFuture<Void> done) {
    CompletableFuture<Boolean> stored;
    try {
      byte[] bytes = encode();
      stored = services.values().store(id, nextVersion(bytes));
    } catch (Throwable e) { // A failure must not prevent the next checkpoint.
      stored = CompletableFuture.failedFuture(e);
    }
    var unused =
        stored.whenComplete(
            (accepted, failure) -> {
              written();
              if (failure != null) {
                done.completeExceptionally(failure);
              } else if (accepted) {
                done.complete(null);
              } else {
                done.completeExceptionally(OwnedObject.moved(id));
              }
            });
  }

  private synchronized StoredValue nextVersion(byte[] bytes) {
    return new StoredValue(epoch, ++version, durability, bytes);
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
      services.background().execute(() -> write(next));
    } else if (remove) {
      remove();
    }
  }

  // ---- Calls that use the object ----

  /** Counts a call that begins to use the object; throws WORKER_LOST if it is handed over. */
  public synchronized void beginUse() {
    if (closing != null) {
      throw OwnedObject.moved(id);
    }
    users++;
  }

  public void endUse() {
    CompletableFuture<Void> free;
    synchronized (this) {
      users--;
      free = users == 0 ? closing : null;
    }
    if (free != null) {
      free.complete(null);
    }
  }

  /** Refuses further calls; the future ends when no call uses the object. */
  public CompletableFuture<Void> awaitUnused() {
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

  // ---- Dropping ----

  /** Called when the owner has dropped the object; removes the stored value if it has ended. */
  void dropped(GridException reason) {
    services.forget(this);
    var unused = awaitUnused(); // Refuses further calls.
    synchronized (this) {
      ended = ENDS.contains(reason.status());
      if (!ended || writing) { // A write under way would bring the value back.
        return;
      }
    }
    remove();
  }

  private void remove() {
    var unused = services.values().remove(id, epoch); // After a failure the next sweep removes it.
  }
}
