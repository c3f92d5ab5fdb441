package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRefOptions;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the objects of a worker and their bytes, and enforces their limits. Threads: safe. */
public final class ObjectLimits {
  private final String worker;
  private final RRefOptions options;
  private final AtomicLong objects = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  public ObjectLimits(String worker, RRefOptions options) {
    this.worker = worker;
    this.options = options;
  }

  public long objects() {
    return objects.get();
  }

  public long bytes() {
    return bytes.get();
  }

  /** Counts one more object before it is made; throws REJECTED if a limit is reached. */
  public void takeObject() {
    if (objects.incrementAndGet() > options.maxObjects()) {
      objects.decrementAndGet();
      String most = "owns " + options.maxObjects() + " objects, as many as maxObjects allows";
      throw refused(most, false);
    }
    if (bytes.get() >= options.maxBytes()) {
      objects.decrementAndGet();
      throw refused(
          "owns objects of " + bytes + " bytes; maxBytes is " + options.maxBytes(), false);
    }
  }

  void giveObject() {
    objects.decrementAndGet();
  }

  /** Counts the bytes of an object that was made; throws REJECTED if there is no room for them. */
  void takeBytes(long more) {
    long all = bytes.addAndGet(more);
    if (all > options.maxBytes()) {
      bytes.addAndGet(-more);
      throw refused(
          "has no room for an object of %s bytes beside its %s; maxBytes is %s"
              .formatted(more, all - more, options.maxBytes()),
          true);
    }
  }

  void giveBytes(long less) {
    bytes.addAndGet(-less);
  }

  private GridException refused(String why, boolean made) {
    return new GridException(
        Status.REJECTED,
        "worker " + worker + " " + why + " (RRefOptions): close RRefs, or use another worker",
        made,
        null,
        null);
  }
}
