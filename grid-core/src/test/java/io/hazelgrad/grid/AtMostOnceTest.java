package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.internal.serve.DeduplicationWindow;
import io.hazelgrad.grid.internal.serve.DeduplicationWindow.Known;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A call id is never run twice by a worker, however often its request comes. */
@RemoteFunctions
class AtMostOnceTest {
  private static final Worker ELSEWHERE = new Worker("elsewhere", 77, new UUID(7, 7));

  private static Request request(Grid grid, Function<?> function) {
    return request(grid, function, ELSEWHERE);
  }

  private static Request request(Grid grid, Function<?> function, Worker caller) {
    byte[] noArguments = {0};
    return new Request(
        new CallId(77, 1),
        caller,
        grid.worker(),
        function,
        Long.MAX_VALUE,
        new byte[0],
        noArguments);
  }

  /** Answers when the test wants. */
  static CompletableFuture<String> later() {
    return Calls.later("at most once");
  }

  /** Answers when another test wants. */
  static CompletableFuture<String> meanwhile() {
    return Calls.later("meanwhile");
  }

  /** Counts how often it ran. */
  static void mark() {
    Calls.mark("comes twice");
  }

  private static CompletableFuture<Reply> send(Grid grid, Request request) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    RequestReceiver.deliver(grid.hazelcast(), request, reply::complete);
    return reply;
  }

  @Test
  void requestGetsFirstReplyWhenRepeated() throws Exception {
    try (TestGrids grids = new TestGrids()) {
      Grid bob = grids.join("bob");
      Request first =
          request(bob, Function.async(AtMostOnceTest::later)).again(Request.Sending.FIRST);
      Request again = first.again(Request.Sending.AGAIN);
      CompletableFuture<Reply> one = send(bob, first);
      Signals.named("at most once").awaitStarted();
      CompletableFuture<Reply> two = send(bob, again);
      assertThat(two).as("waits for the one that runs").isNotDone();
      Signals.named("at most once").answer.complete("once");
      Reply reply = one.get(20, TimeUnit.SECONDS);
      assertThat(reply.failure()).isNull();
      assertThat(two.get(20, TimeUnit.SECONDS)).isSameAs(reply);
      Reply late = send(bob, again).get(20, TimeUnit.SECONDS);
      assertThat(late).as("kept").isSameAs(reply);
      assertThat(Signals.named("at most once").started).hasValue(1);
    }
  }

  @Test
  void requestGetsNoReplyOfAnotherCallerWithSameNumber() throws Exception {
    try (TestGrids grids = new TestGrids()) {
      Grid bob = grids.join("bob");
      Function<?> meanwhile = Function.async(AtMostOnceTest::meanwhile);
      CompletableFuture<Reply> one = send(bob, request(bob, meanwhile));
      Signals.named("meanwhile").awaitStarted();
      Worker next = new Worker("elsewhere", 77, new UUID(7, 8));
      GridException refused =
          send(bob, request(bob, meanwhile, next)).get(20, TimeUnit.SECONDS).failure();
      assertThat(refused.status()).isEqualTo(Status.REJECTED);
      assertThat(refused).hasMessageContainingAll("77#1", "not run again");
      Signals.named("meanwhile").answer.complete("for the first");
      assertThat(one.get(20, TimeUnit.SECONDS).failure()).isNull();
    }
  }

  @Test
  void replyBelongsToOneCall() {
    Reply reply = Reply.value(new byte[0], new byte[] {1}).to(new CallId(77, 1));
    assertThat(reply.isTo(new CallId(77, 1))).isTrue();
    assertThat(reply.isTo(new CallId(77, 2))).isFalse();
    assertThat(reply.isTo(new CallId(78, 1))).isFalse();
    assertThat(Reply.value(new byte[0], new byte[] {1}).isTo(new CallId(77, 1))).isFalse();
  }

  @Test
  void requestIsRefusedWhenRepeatedWithoutKeptReply() throws Exception {
    try (TestGrids grids = new TestGrids()) {
      Grid bob = grids.join("bob");
      Request once = request(bob, Function.action(AtMostOnceTest::mark));
      assertThat(send(bob, once).get(20, TimeUnit.SECONDS).failure()).isNull();
      GridException refused = send(bob, once).get(20, TimeUnit.SECONDS).failure();
      assertThat(refused.status()).isEqualTo(Status.REJECTED);
      assertThat(refused.mayHaveRun()).isTrue();
      assertThat(refused).hasMessageContainingAll("77#1", "bob before", "not run again");
      assertThat(Signals.named("comes twice").started).hasValue(1);
    }
  }

  @Test
  void idIsNewOnce() {
    DeduplicationWindow seen = new DeduplicationWindow();
    for (long i : new long[] {5, 3, 4096, 4095, 1_000_000, 0}) {
      assertThat(seen.enter(new CallId(1, i), false)).isEqualTo(Known.NEW);
      assertThat(seen.enter(new CallId(1, i), true)).isEqualTo(Known.SEEN);
      assertThat(seen.enter(new CallId(2, i), false)).as("of another caller").isEqualTo(Known.NEW);
    }
    seen.leave(new CallId(1, 5));
    assertThat(seen.enter(new CallId(1, 5), true)).as("had found no room").isEqualTo(Known.NEW);
  }

  @Test
  void windowRefusesForgottenNumbers() {
    DeduplicationWindow seen = new DeduplicationWindow();
    long pages = 4096 + 10;
    for (long page = 0; page < pages; page++) {
      assertThat(seen.enter(new CallId(1, page * 4096), false)).isEqualTo(Known.NEW);
    }
    assertThat(seen.enter(new CallId(1, 7), true)).isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 9 * 4096 + 5), true)).isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 10 * 4096), true)).isEqualTo(Known.SEEN);
    assertThat(seen.enter(new CallId(1, pages * 4096), false)).isEqualTo(Known.NEW);
  }

  @Test
  void oldNumberIsRefusedByStrictMemoryWhenItsWindowHasGone() {
    DeduplicationWindow seen = new DeduplicationWindow(true);
    assertThat(seen.enter(new CallId(1, 5), false)).isEqualTo(Known.NEW);
    assertThat(seen.enter(new CallId(1, 3), false)).isEqualTo(Known.NEW);
    seen.lost(1);
    assertThat(seen.enter(new CallId(1, 5), false)).as("replayed").isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 4), false)).as("too late").isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 6), false)).isEqualTo(Known.NEW);
  }

  @Test
  void repliesAreBoundedAndRemovedWithTheirCaller() {
    DeduplicationWindow seen = new DeduplicationWindow();
    byte[] megabyte = new byte[1 << 20];
    for (long i = 0; i < 100; i++) {
      seen.enter(new CallId(1, i), false);
      seen.keep(new CallId(1, i), Reply.value(new byte[0], megabyte));
    }
    assertThat(seen.replyBytes()).isLessThanOrEqualTo(64L << 20).isGreaterThan(60L << 20);
    assertThat(seen.reply(new CallId(1, 0))).isNull();
    assertThat(seen.reply(new CallId(1, 99))).isNotNull();
    seen.enter(new CallId(2, 1), false);
    seen.lost(1);
    assertThat(seen.replyBytes()).isZero();
    assertThat(seen.callers()).isEqualTo(1);
    assertThat(seen.enter(new CallId(1, 99), true))
        .as("of a lost caller that came back")
        .isEqualTo(Known.FORGOTTEN);
  }

  @Test
  void windowThatWasDroppedStillRefusesItsNumbersWhenTheCallerComesBack() {
    DeduplicationWindow seen = new DeduplicationWindow();
    seen.enter(new CallId(1, 1), false);
    seen.enter(new CallId(1, 5), false);
    seen.lost(1);
    assertThat(seen.enter(new CallId(1, 4), false)).as("was late").isEqualTo(Known.NEW);
    assertThat(seen.enter(new CallId(1, 1), true)).isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 5), true)).isEqualTo(Known.FORGOTTEN);
    assertThat(seen.enter(new CallId(1, 4), true)).isEqualTo(Known.SEEN);
    assertThat(seen.enter(new CallId(1, 6), true))
        .as("its first sending was lost on the way")
        .isEqualTo(Known.NEW);
    seen.lost(1);
    assertThat(seen.enter(new CallId(1, 7), false)).isEqualTo(Known.NEW);
    assertThat(seen.enter(new CallId(1, 6), true)).isEqualTo(Known.FORGOTTEN);
  }

  @Test
  void failuresCountInTheBoundOfRepliesWithoutTheirCauses() {
    DeduplicationWindow seen = new DeduplicationWindow();
    String megabyte = "x".repeat(1 << 20);
    for (long i = 0; i < 100; i++) {
      seen.enter(new CallId(1, i), false);
      Exception cause = new IllegalStateException("of the callee");
      seen.keep(
          new CallId(1, i), Reply.failure(new GridException(Status.USER_ERROR, megabyte, cause)));
    }
    assertThat(seen.replyBytes()).isLessThanOrEqualTo(64L << 20).isGreaterThan(60L << 20);
    assertThat(seen.reply(new CallId(1, 0))).isNull();
    Reply kept = seen.reply(new CallId(1, 99));
    assertThat(kept).isNotNull();
    assertThat(kept.failure()).hasMessage(megabyte).hasNoCause();
    assertThat(kept.failure().status()).isEqualTo(Status.USER_ERROR);
  }
}
