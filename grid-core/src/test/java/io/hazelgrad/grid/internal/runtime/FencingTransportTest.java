package io.hazelgrad.grid.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a client makes of failures that may come of its having been given up. */
class FencingTransportTest {
  private static final Worker CLIENT = new Worker("client", 5, new UUID(1, 2));
  private static final Worker CALLEE = new Worker("callee", 6, new UUID(3, 4));
  private static final Reply GONE = failed(Status.RREF_GONE);

  private final List<Reply> heard = new ArrayList<>();
  private int looks;

  private static Reply failed(Status status) {
    return Reply.failure(new GridException(status, "so"));
  }

  /** Answers a request so, while the grid says whether the client is in it. */
  private @Nullable Status hear(Reply reply, CompletionStage<Boolean> isEntered) {
    Transport way = (to, member, request, replyTo) -> replyTo.accept(reply);
    Transport transport =
        new FencingTransport(
            way,
            id -> {
              assertThat(id).isEqualTo(CLIENT.id());
              return isEntered;
            },
            () -> looks++);
    transport.send(CALLEE, null, request(), heard::add);
    return heard.isEmpty() ? null : status(heard.get(0));
  }

  private static Request request() {
    return new Request(
        new CallId(CLIENT.id(), 1),
        CLIENT,
        CALLEE,
        Function.operator("add"),
        Long.MAX_VALUE,
        new byte[0],
        new byte[0]);
  }

  private static @Nullable Status status(Reply reply) {
    GridException failure = reply.failure();
    return failure == null ? null : failure.status();
  }

  private static CompletableFuture<Boolean> entered(boolean isEntered) {
    return CompletableFuture.completedFuture(isEntered);
  }

  @Test
  void goneStaysGoneForMemberOfGrid() {
    assertThat(hear(GONE, entered(true))).isEqualTo(Status.RREF_GONE);
    assertThat(looks).isZero();
  }

  @Test
  void goneBecomesFencedForFencedMember() {
    assertThat(hear(GONE, entered(false))).isEqualTo(Status.FENCED);
    assertThat(looks).isOne();
  }

  @Test
  void replyWaitsForDecisionOfGrid() {
    CompletableFuture<Boolean> word = new CompletableFuture<>();
    assertThat(hear(GONE, word)).isNull();
    word.complete(false);
    assertThat(heard).extracting(FencingTransportTest::status).containsExactly(Status.FENCED);
  }

  @Test
  void replyStandsWithoutDecisionOfGrid() {
    CompletionStage<Boolean> unknown =
        CompletableFuture.failedFuture(new IllegalStateException("not connected"));
    assertThat(hear(GONE, unknown)).isEqualTo(Status.RREF_GONE);
  }

  @Test
  void onlyOwnDecisionOfMemberCounts() {
    Reply lost = Reply.lost(new GridException(Status.RREF_GONE, "so"));
    assertThat(hear(lost, entered(false))).isEqualTo(Status.RREF_GONE);
    assertThat(looks).isZero();
  }

  @Test
  void fencedReplyTriggersCheck() {
    assertThat(hear(failed(Status.FENCED), entered(true))).isEqualTo(Status.FENCED);
    assertThat(looks).isOne();
  }

  /** The check may end all calls under way as calls that may have run. */
  @Test
  void replyComesBeforeCheck() {
    List<String> order = new ArrayList<>();
    Transport way = (to, member, request, replyTo) -> replyTo.accept(failed(Status.FENCED));
    new FencingTransport(way, id -> entered(true), () -> order.add("check"))
        .send(CALLEE, null, request(), reply -> order.add("reply"));
    assertThat(order).containsExactly("reply", "check");
  }

  @Test
  void successIsForwarded() {
    assertThat(hear(Reply.value(new byte[0], new byte[0]), entered(false))).isNull();
    assertThat(heard).hasSize(1);
    assertThat(looks).isZero();
  }
}
