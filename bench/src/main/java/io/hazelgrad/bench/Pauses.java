package io.hazelgrad.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
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
final class Pauses implements AutoCloseable {
  private final NotificationListener listener = (notification, handback) -> add(notification);
  private Seen seen = new Seen(0, 0, 0);

  /**
   * The recorded pauses.
   *
   * @param count the number of pauses
   * @param millis the total time in ms
   * @param longest the longest pause in ms
   */
  @RemoteValue
  record Seen(int count, long millis, long longest) {
    /** Returns the share of the pauses in a time. */
    double shareOf(long nanos) {
      return (double) TimeUnit.MILLISECONDS.toNanos(millis) / nanos;
    }

    private Seen and(long pause) {
      return new Seen(count + 1, millis + pause, Math.max(longest, pause));
    }
  }

  /** Starts to record. */
  Pauses() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean).addNotificationListener(listener, null, null);
    }
  }

  private synchronized void add(Notification notification) {
    if (GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION.equals(
        notification.getType())) {
      GarbageCollectionNotificationInfo info =
          GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
      if (!info.getGcCause().equals("No GC")) {
        seen = seen.and(info.getGcInfo().getDuration());
      }
    }
  }

  synchronized Seen seen() {
    return seen;
  }

  @Override
  public void close() {
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      try {
        ((NotificationEmitter) bean).removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
