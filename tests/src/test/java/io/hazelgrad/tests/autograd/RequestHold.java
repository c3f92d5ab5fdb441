package io.hazelgrad.tests.autograd;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.WireInput;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Extension of every grid on this class path that holds requests before they are read, like a slow
 * network. It does nothing until {@link #of}.
 */
public final class RequestHold implements GridExtension, CallInterceptor, AutoCloseable {
  private static final int HEADER = 126;
  private static volatile @Nullable RequestHold current;

  private final String function;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** Constructor for the service loader. */
  public RequestHold() {
    this("");
  }

  private RequestHold(String function) {
    this.function = function;
  }

  /** Holds the requests whose function's name contains this text. */
  static RequestHold of(String function) {
    RequestHold hold = new RequestHold(function);
    current = hold;
    return hold;
  }

  /** Waits until a request is held. */
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

  /** Runs before the extension whose reading is to be held. */
  @Override
  public int order() {
    return 1;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {}

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
    RequestHold hold = current;
    if (hold != null && message.isRequest() && message.call().function().contains(hold.function)) {
      hold.held.countDown();
      try {
        hold.released.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
