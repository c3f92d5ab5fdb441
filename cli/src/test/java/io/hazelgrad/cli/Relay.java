package io.hazelgrad.cli;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMException;
import javax.management.ObjectName;

/** What the workers of these tests call. */
@RemoteFunctions
final class Relay {
  private static final CompletableFuture<String> RELEASED = new CompletableFuture<>();
  private static final AtomicInteger HELD = new AtomicInteger();

  private Relay() {}

  /** Answers when {@link #release} is called at the same worker. */
  static CompletableFuture<String> whenReleased() {
    HELD.incrementAndGet();
    return RELEASED.copy();
  }

  /** Returns how many calls of {@link #whenReleased} have come. */
  static int held() {
    return HELD.get();
  }

  /** Lets them answer; false if that was done before. */
  static boolean release() {
    return RELEASED.complete("released");
  }

  /** Returns the name of the called worker. */
  static String name() {
    return Grid.current().worker().name();
  }

  /** Returns the name of another worker, as the called one hears it from there. */
  static String nameOf(String other) {
    return Grid.current().rpc().sync(other, Relay::name);
  }

  /** Returns the number of JMX beans with this worker's calls or figures. */
  static int beans() throws JMException {
    return ManagementFactory.getPlatformMBeanServer()
        .queryNames(new ObjectName("io.hazelgrad:name=hazelgrad*.worker.A,*"), null)
        .size();
  }

  /** Fails. */
  static String failing() {
    throw new IllegalStateException("as asked");
  }
}
