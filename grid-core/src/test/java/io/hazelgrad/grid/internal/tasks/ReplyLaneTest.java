package io.hazelgrad.grid.internal.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the replies on their way to one member. */
class ReplyLaneTest {
  private final ReplyLane lane = new ReplyLane();

  private void add(long number) {
    lane.add(LateReply.of(number, Reply.value(new byte[0], new byte[0])));
  }

  @Test
  void laterRepliesWaitAndGoTogetherWhileTwoBatchesAreOnTheirWay() {
    add(1);
    assertThat(lane.next(false)).isNotNull();
    add(2);
    assertThat(lane.next(false)).isNotNull();
    add(3);
    add(4);
    assertThat(lane.next(false)).isNull();

    lane.sent();

    ReplyBatch batch = Objects.requireNonNull(lane.next(false));
    assertThat(batch.replies()).extracting(LateReply::number).containsExactly(3L, 4L);
  }

  @Test
  void nothingWaitsWhenWorkerCloses() {
    for (long number = 1; number <= 3; number++) {
      add(number);
      assertThat(lane.next(true)).isNotNull();
    }
  }

  @Test
  void nothingIsSentWhenNothingWaits() {
    assertThat(lane.next(false)).isNull();
  }
}
