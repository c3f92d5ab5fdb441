package io.hazelgrad.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.health.Health;
import io.hazelgrad.rref.RRef;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Two applications of one grid: their beans, and the end of one of them. */
class RemoteBeansTest {
  private static final long PATIENCE_SECONDS = 30;

  /** Remote functions with an interface. */
  @RemoteFunctions
  interface Tariff {
    int price(String thing);
  }

  static final class Prices implements Tariff {
    private final int factor;

    Prices(int factor) {
      this.factor = factor;
    }

    @Override
    public int price(String thing) {
      return factor * thing.length();
    }
  }

  @RemoteFunctions
  static class Counter {
    private int count;

    synchronized int add(int more) {
      count += more;
      return count;
    }
  }

  @RemoteFunctions
  static class Door implements AutoCloseable {
    boolean open() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** A bean with a call that waits, and a list of what happened. */
  @RemoteFunctions
  static class Slow implements DisposableBean {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch leave = new CountDownLatch(1);
    final List<String> events = new CopyOnWriteArrayList<>();

    String work() throws InterruptedException {
      entered.countDown();
      assertThat(leave.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      events.add("call ended");
      return "done";
    }

    @Override
    public void destroy() {
      events.add("bean destroyed");
    }
  }

  private interface Story {
    void run(AssertableApplicationContext caller, AssertableApplicationContext shop)
        throws Throwable;
  }

  private static void withTwo(ApplicationContextRunner first, Story story) {
    first.run(
        shop ->
            TestMember.joining("caller", shop.getBean(HazelcastInstance.class))
                .run(caller -> story.run(caller, shop)));
  }

  @Test
  void beanOfAnotherApplicationIsCalledThroughAReference() {
    withTwo(
        TestMember.first("shop")
            .withBean(Prices.class, () -> new Prices(10))
            .withBean(Counter.class, RemoteBeansTest::proxiedCounter),
        (caller, shop) -> {
          RemoteBeans beans = caller.getBean(RemoteBeans.class);
          try (RRef<Tariff> prices = beans.on("shop", Tariff.class);
              RRef<Counter> counter = beans.on("shop", Counter.class)) {
            assertThat(prices.sync(Tariff::price, "pear")).isEqualTo(40);
            assertThat(counter.sync(Counter::add, 2)).isEqualTo(2);
          }
          assertThat(shop.getBean(Counter.class).getClass()).isNotEqualTo(Counter.class);
          // The bean outlives the reference.
          assertThat(shop.getBean(Counter.class).add(3)).isEqualTo(5);
          try (RRef<Counter> again = beans.on("shop", Counter.class)) {
            assertThat(again.sync(Counter::add, 1)).isEqualTo(6);
          }
          assertThat(shop.getBean(RemoteBeans.class).types())
              .containsExactlyInAnyOrder(Tariff.class.getName(), Counter.class.getName());
        });
  }

  @Test
  void referenceFailsIfNoSingleBeanIsThere() {
    withTwo(
        TestMember.first("shop")
            .withBean("one", Counter.class)
            .withBean("two", Counter.class)
            .withBean(Door.class)
            .withBean(Prices.class, () -> new Prices(1)),
        (caller, shop) -> {
          RemoteBeans beans = caller.getBean(RemoteBeans.class);
          assertFails(beans.on("shop", Counter.class), "[one, two]");
          assertFails(beans.on("shop", Slow.class), "no bean of the type");
          assertFails(beans.on("shop", Door.class), "AutoCloseable");
          assertFails(beans.on("shop", HazelcastInstance.class), "no bean of the type");
        });
  }

  /** Returns a bean as Spring makes it for transactions and the like. */
  private static Counter proxiedCounter() {
    ProxyFactory factory = new ProxyFactory(new Counter());
    factory.setProxyTargetClass(true);
    return (Counter) factory.getProxy();
  }

  private static void assertFails(RRef<?> reference, String message) {
    try (reference) {
      assertThatThrownBy(reference::toHere)
          .isInstanceOf(GridException.class)
          .hasMessageContaining(message);
    }
  }

  @Test
  void callUnderWayEndsBeforeItsBeanWhenTheApplicationEnds() {
    Slow slow = new Slow();
    withTwo(
        TestMember.first("shop").withBean(Slow.class, () -> slow),
        (caller, shop) -> {
          Grid grid = shop.getBean(Grid.class);
          RRef<Slow> reference = caller.getBean(RemoteBeans.class).on("shop", Slow.class);
          CompletableFuture<String> reply = reference.async(Slow::work);
          assertThat(slow.entered.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
          CompletableFuture<Void> end =
              CompletableFuture.runAsync(() -> shop.getSourceApplicationContext().close());
          long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
          while (Health.of(grid).state() != Health.State.DRAINING) {
            assertThat(System.nanoTime()).as("the worker is leaving").isLessThan(deadline);
            Thread.onSpinWait();
          }
          assertThat(end).isNotDone();
          slow.leave.countDown();
          assertThat(reply.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("done");
          end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
          assertThat(slow.events).containsExactly("call ended", "bean destroyed");
          assertThat(grid.isClosed()).isTrue();
          assertThat(grid.hazelcast().getLifecycleService().isRunning()).isFalse();
          reference.close();
        });
  }
}
