package io.hazelgrad.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * A recording of the garbage collection pauses of this JVM. Concurrent phases are no pauses and do
 * not count.
 */
@RemoteFunctions
public final class Pauses {
  private static final NotificationListener LISTENER =
      (notification, handback) -> add(notification);
  private static Seen seen = new Seen(0, 0, 0);

  private Pauses() {}

  /** The number of pauses, their total time in ms, and the longest one in ms. */
  @RemoteValue
  record Seen(int count, long millis, long longest) {
    double shareOf(long nanos) {
      return (double) TimeUnit.MILLISECONDS.toNanos(millis) / nanos;
    }
  }

  /** Starts to record, until {@link #stop}. */
  public static synchronized void start() {
    seen = new Seen(0, 0, 0);
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean).addNotificationListener(LISTENER, null, null);
    }
  }

  private static synchronized void add(Notification notification) {
    if (GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION.equals(
        notification.getType())) {
      GarbageCollectionNotificationInfo info =
          GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
      if (!info.getGcCause().equals("No GC")) {
        long pause = info.getGcInfo().getDuration();
        seen = new Seen(seen.count + 1, seen.millis + pause, Math.max(seen.longest, pause));
      }
    }
  }

  /** Ends the recording and returns it. */
  static synchronized Seen stop() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      try {
        ((NotificationEmitter) bean).removeNotificationListener(LISTENER);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException("start was not called in this process", e);
      }
    }
    return seen;
  }
}
