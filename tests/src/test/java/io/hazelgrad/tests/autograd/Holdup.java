package io.hazelgrad.tests.autograd;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.WireInput;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests up before anything of them is read, as a slow network would. Part of every grid of
 * this class path; does nothing until {@link #of}.
 */
public final class Holdup implements GridExtension, CallInterceptor, AutoCloseable {
  private static final int HEADER = 126;
  private static volatile @Nullable Holdup current;

  private final String function;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** For the service loader. */
  public Holdup() {
    this("");
  }

  private Holdup(String function) {
    this.function = function;
  }

  /** Holds the requests up whose function's name contains this. */
  static Holdup of(String function) {
    Holdup holdup = new Holdup(function);
    current = holdup;
    return holdup;
  }

  /** Waits until there is a request. */
  void awaitHeld() throws InterruptedException {
    if (!held.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("no request came for " + function);
    }
  }

  @Override
  public void close() {
    current = null;
    released.countDown();
  }

  /** Before the extension whose reading is to be held up. */
  @Override
  public int order() {
    return 1;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    context.interceptor(this);
    return this;
  }

  @Override
  public int header() {
    return HEADER;
  }

  @Override
  public void arriving(Incoming message, @Nullable WireInput header) {
    Holdup holdup = current;
    if (holdup != null
        && message.isRequest()
        && message.call().function().contains(holdup.function)) {
      holdup.held.countDown();
      try {
        holdup.released.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
