package io.hazelgrad.grid.internal.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests of the requests that have no reply. */
class PendingRequestsTest {
  private static final Worker A = new Worker("a", 1, UUID.randomUUID());
  private static final Worker B = new Worker("b", 2, UUID.randomUUID());

  private final PendingRequests pending = new PendingRequests();
  private final List<Reply> replies = new ArrayList<>();
  private final Reply reply = Reply.value(new byte[0], new byte[0]);

  @Test
  void requestEndsOnceWhenItsReplyComesTwice() {
    long number = pending.add(A, replies::add);

    pending.end(number, reply);
    pending.end(number, reply);

    assertThat(replies).containsExactly(reply);
    assertThat(pending.size()).isZero();
  }

  @Test
  void requestsEndWhenTheirWorkerIsLost() {
    pending.add(A, replies::add);
    long toB = pending.add(B, replies::add);

    pending.lost(A::equals);

    assertThat(replies).singleElement().matches(Reply::isLost);
    pending.end(toB, reply);
    assertThat(replies).endsWith(reply);
    assertThat(pending.size()).isZero();
  }

  @Test
  void lateRequestsAreKnownUntilTheyEnd() {
    long number = pending.add(A, replies::add);
    assertThat(pending.hasLate(A)).isFalse();

    pending.late(number);

    assertThat(pending.hasLate(A)).isTrue();
    assertThat(pending.hasLate(B)).isFalse();
    pending.end(number, reply);
    assertThat(pending.hasLate(A)).isFalse();
  }
}
