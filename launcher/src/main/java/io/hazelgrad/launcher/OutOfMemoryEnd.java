package io.hazelgrad.launcher;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.OutOfMemoryHandler;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends a member's process when its heap is full: a collection has left the old generation full, or
 * a thread of Hazelcast found no memory. After that no thread can be trusted to go on, and the
 * process would spend its time on collections; the other workers do better without it. The message
 * is made beforehand, since there is no memory for it later. A function that asks for too much at
 * once does not fill the heap: its call fails, and the process lives.
 *
 * <p>A thread looks at the old generation once a second until the process ends. The JVM could
 * notify a listener instead, but that needs memory: on a busy machine it took more than a minute.
 */
final class OutOfMemoryEnd extends OutOfMemoryHandler {
  /** The exit code, which is also that of the JVM's own flag {@code ExitOnOutOfMemoryError}. */
  static final int CODE = 3;

  /** The used share from which the old generation, or the heap, counts as full. */
  private static final double FULL = 0.97;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final byte[] message;
  private final FileOutputStream out = new FileOutputStream(FileDescriptor.err);

  private OutOfMemoryEnd(String worker) {
    String text =
        "worker %s ends: it is out of memory, with a heap of %d MiB; give it more by -Xmx%n"
            .formatted(worker, Runtime.getRuntime().maxMemory() >> 20);
    message = text.getBytes(StandardCharsets.UTF_8);
  }

  /** Lets the process of this worker end when its heap is full. */
  static void prepare(String worker) {
    OutOfMemoryEnd end = new OutOfMemoryEnd(worker);
    Hazelcast.setOutOfMemoryHandler(end);
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      boolean isOld = pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported();
      long most = pool.getUsage().getMax();
      if (isOld && pool.isCollectionUsageThresholdSupported() && most > 0) {
        Thread watch =
            new Thread(() -> end.watch(pool, (long) (FULL * most)), "out-of-memory-watch");
        watch.setDaemon(true);
        watch.start();
      }
    }
  }

  private void watch(MemoryPoolMXBean old, long full) {
    try {
      while (old.getCollectionUsage().getUsed() < full) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (OutOfMemoryError e) {
      // There was not even memory for the question.
    }
    end();
  }

  @Override
  public boolean shouldHandle(OutOfMemoryError error) {
    Runtime runtime = Runtime.getRuntime();
    long used = runtime.totalMemory() - runtime.freeMemory();
    return used > FULL * runtime.maxMemory();
  }

  @Override
  public void onOutOfMemory(OutOfMemoryError error, HazelcastInstance[] members) {
    end();
  }

  private void end() {
    try {
      out.write(message);
    } catch (IOException e) {
      // Nobody reads it.
    }
    Runtime.getRuntime().halt(CODE);
  }
}
