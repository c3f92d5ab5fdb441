package io.hazelgrad.grid.internal.runtime;

import io.hazelgrad.grid.GridListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a grid its news, one after the other and in order. Each piece of news has
 * a thread of its own, since news is rare and listeners may wait. Threads: safe.
 */
final class GridNews {
  private static final Logger LOG = LoggerFactory.getLogger(GridNews.class);

  private final String threadName;
  private final List<GridListener> listeners = new CopyOnWriteArrayList<>();
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  GridNews(String worker) {
    this.threadName = "hazelgrad-" + worker + "-news";
  }

  void add(GridListener listener) {
    listeners.add(listener);
  }

  void remove(GridListener listener) {
    listeners.remove(listener);
  }

  /** Tells later, after all earlier news. Does not block. */
  synchronized void tell(Consumer<GridListener> event) {
    last = last.exceptionally(error -> null).thenRunAsync(() -> tellNow(event), this::start);
  }

  /** Tells on this thread, without waiting for earlier news. */
  void tellNow(Consumer<GridListener> event) {
    listeners.forEach(listener -> guarded(() -> event.accept(listener)));
  }

  /** Runs code of others, and logs what it throws. */
  static void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      LOG.warn("a listener of the grid threw", e);
    }
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work, threadName);
    thread.setDaemon(true);
    thread.start();
  }
}
