package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableObject;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.protocol.Command;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for objects of this worker. The call that makes an object may arrive after those that use
 * it, or never. So while somebody waits for an object of which nothing was heard, the registry is
 * asked, less and less often, whether it may still come.
 */
public final class ObjectWaits {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectWaits.class);
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  /** How long a call may be under way whose caller has died since. */
  private static final Duration LATE_CALL = Duration.ofSeconds(5);

  private final GridContext context;
  private final RegistryMap registry;
  private final OwnedObjects objects;
  private final BackgroundRunner background;

  public ObjectWaits(
      GridContext context,
      RegistryMap registry,
      OwnedObjects objects,
      BackgroundRunner background) {
    this.context = context;
    this.registry = registry;
    this.objects = objects;
    this.background = background;
  }

  /** Begins to wait; whoever does so says when it ends. */
  public OwnedObject begin(RRefId id) {
    OwnedObject object = objects.await(id);
    if (!object.isCreated() && object.startLooking()) {
      lookAgain(object, FIRST_PAUSE_MILLIS); // Most often the call that makes it is just behind.
    }
    return object;
  }

  public void end(OwnedObject object) {
    objects.endWait(object);
  }

  private void look(OwnedObject object, long pauseMillis) {
    if (object.isCreated() || objects.find(object.id()) != object) {
      return;
    }
    var unused =
        registry
            .entry(object.id())
            .whenCompleteAsync(
                (entry, failure) -> {
                  GridException never = failure == null ? never(object, entry) : null;
                  if (never == null) {
                    lookAgain(object, pauseMillis);
                  } else {
                    objects.refuse(object, never);
                  }
                },
                background);
  }

  private void lookAgain(OwnedObject object, long pauseMillis) {
    try {
      var unused =
          context
              .timer()
              .schedule(
                  () -> look(object, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS)),
                  pauseMillis,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("not looked for {} any more: the grid is closing", object.id());
    }
  }

  /** Returns why an object will never be made, or null if it may still be. */
  private @Nullable GridException never(OwnedObject object, Entry entry) {
    RRefId id = object.id();
    return switch (entry.state()) {
      case CREATING -> null;
      case ABSENT, EXPECTED ->
          object.ageNanos() > LATE_CALL.toNanos() && !context.isLiving(id.creator())
              ? notMade(id, "its creator was lost before the call arrived")
              : null;
      case FAILED -> // On a member that goes down, for that very reason.
          context.hazelcast().getLifecycleService().isRunning()
              ? notMade(id, "the call that should make it failed")
              : new GridException(
                  Status.RREF_LOST,
                  id + " is lost with its owner, worker " + context.self().name());
      case READY -> // It was here, and whoever asks came too late to hear why it went.
          entry.epoch() == Entry.NOT_DURABLE
              ? new GridException(Status.RREF_LOST, id + " is not in its owner's memory any more")
              : elsewhere(id, entry);
      case ORPHANED -> DurableObject.moved(id);
      case TIMED_OUT, LOST, GONE ->
          registry.refused(
              id, context.self(), new CommandReply(CommandReply.Verdict.REFUSED, entry.state()));
    };
  }

  /** A durable object is not here; if the registry says that it is, somebody shall adopt it. */
  private GridException elsewhere(RRefId id, Entry entry) {
    OwnedObject here = objects.find(id);
    boolean adopting = here != null && here.isCreated(); // It is about to be here.
    if (entry.owner() == context.self().id() && !adopting) {
      LOG.warn("{} should be here and is not; it is left to others", id);
      var unused = registry.submit(id, new Command.OwnerLost(entry.owner()));
    }
    return DurableObject.moved(id);
  }

  private static GridException notMade(RRefId id, String why) {
    return new GridException(Status.RREF_FAILED, id + " was not made: " + why);
  }
}
