package io.hazelgrad.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
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
  private long count;
  private long millis;
  private long longest;

  private Pauses() {}

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
        long took = info.getGcInfo().getDuration();
        count++;
        millis += took;
        longest = Math.max(longest, took);
      }
    }
  }

  /** Returns how many pauses there were, how long all together and the longest one, in ms. */
  synchronized long[] seen() {
    return new long[] {count, millis, longest};
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
