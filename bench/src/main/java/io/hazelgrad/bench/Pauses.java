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
 * The garbage collections of this JVM while it is watched. What runs beside the program is no
 * pause, and is not counted.
 */
final class Pauses implements AutoCloseable {
  private final NotificationListener listener = (notification, handback) -> add(notification);
  private Seen seen = new Seen(0, 0, 0);

  private Pauses() {}

  /**
   * What was seen.
   *
   * @param count how many pauses
   * @param millis how long all together
   * @param longest how long the longest one, in ms
   */
  @RemoteValue
  record Seen(int count, long millis, long longest) {
    /** Returns the share of so much time that was pauses. */
    double shareOf(long nanos) {
      return (double) TimeUnit.MILLISECONDS.toNanos(millis) / nanos;
    }

    private Seen and(long pause) {
      return new Seen(count + 1, millis + pause, Math.max(longest, pause));
    }
  }

  static Pauses watch() {
    Pauses pauses = new Pauses();
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean).addNotificationListener(pauses.listener, null, null);
    }
    return pauses;
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
