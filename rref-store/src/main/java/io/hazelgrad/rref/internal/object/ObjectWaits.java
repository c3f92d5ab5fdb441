package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for objects of this worker. The call that makes an object may arrive after the calls that
 * use it, or never. While a call waits for an object whose creation has not begun, this class polls
 * the registry, less and less often, to learn whether the object may still come. Threads: safe.
 */
public final class ObjectWaits {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectWaits.class);
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  /** The longest time that a call of a dead caller may still be under way. */
  private static final Duration LATE_CALL = Duration.ofSeconds(5);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final BackgroundRunner background;

  public ObjectWaits(GridContext context, RegistryMap registry, OwnedObjects objects) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.background = new BackgroundRunner(context);
  }

  /** Begins to wait; the caller must call {@link #end}. */
  public OwnedObject begin(RRefId id) {
    OwnedObject object = objects.await(id);
    if (!object.isCreated() && object.startPolling()) {
      pollLater(object, FIRST_PAUSE_MILLIS); // Most often the creating call is just behind.
    }
    return object;
  }

  /** Returns an object that is here and made, or null; waits for nothing. */
  public @Nullable OwnedObject made(RRefId id) {
    OwnedObject object = objects.find(id);
    return object != null && object.isMade() ? object : null;
  }

  public void end(OwnedObject object) {
    objects.endWait(object);
  }

  private void poll(OwnedObject object, long pauseMillis) {
    if (object.isCreated() || objects.find(object.id()) != object) {
      return;
    }
    var unused =
        registry
            .entry(object.id())
            .whenCompleteAsync(
                (entry, failure) -> {
                  GridException refusal = failure == null ? refusal(object, entry) : null;
                  if (refusal == null) {
                    pollLater(object, pauseMillis);
                  } else {
                    objects.refuse(object, refusal);
                  }
                },
                background);
  }

  private void pollLater(OwnedObject object, long pauseMillis) {
    // A grid that is closing asks no more.
    CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, context.background())
        .execute(() -> poll(object, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS)));
  }

  /** Returns the reason why an object will never be made, or null if it still may be. */
  private @Nullable GridException refusal(OwnedObject object, Entry entry) {
    RRefId id = object.id();
    return switch (entry.state()) {
      case CREATING -> null;
      case ABSENT, EXPECTED ->
          object.ageNanos() > LATE_CALL.toNanos() && !context.directory().isLiving(id.creator())
              ? notMade(id, "its creator was lost before the call arrived")
              : null;
      case FAILED -> // A member that is shutting down fails its creations.
          context.hazelcast().getLifecycleService().isRunning()
              ? notMade(id, "the call that should make it failed")
              : RegistryMap.lost(id, context.self());
      case READY -> // It was dropped here before this wait began.
          entry.epoch() == Entry.NOT_DURABLE
              ? new GridException(Status.RREF_LOST, id + " is not in its owner's memory any more")
              : elsewhere(id, entry);
      case ORPHANED -> OwnedObject.moved(id);
      case TIMED_OUT, LOST, GONE ->
          registry.refused(
              id, context.self(), new CommandReply(CommandReply.Verdict.REFUSED, entry.state()));
    };
  }

  /** Lets another worker adopt a durable object that the registry wrongly takes to be here. */
  private GridException elsewhere(RRefId id, Entry entry) {
    OwnedObject here = objects.find(id);
    boolean adopting = here != null && here.isCreated(); // It is about to be here.
    if (entry.owner() == context.self().id() && !adopting) {
      LOG.warn("the registry lists {} here, but it is not; another worker shall adopt it", id);
      var unused = registry.submit(id, new Command.OwnerLost(entry.owner()));
    }
    return OwnedObject.moved(id);
  }

  private static GridException notMade(RRefId id, String why) {
    return new GridException(Status.RREF_FAILED, id + " was not made: " + why);
  }
}
