package io.hazelgrad.grid.internal.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.internal.tasks.ReplyBatch.LateReply;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of the replies that a worker keeps for a client. */
class ReplyMailboxTest {
  private static final long LONG = TimeUnit.SECONDS.toNanos(30);

  private final AtomicLong bytes = new AtomicLong();
  private final ReplyMailbox mailbox = new ReplyMailbox(bytes);

  private static LateReply reply(long number, int bytes) {
    return LateReply.of(number, Reply.value(new byte[0], new byte[bytes]));
  }

  @Test
  void repliesAreKeptUntilTheyHaveArrived() throws InterruptedException {
    mailbox.add(7, reply(1, 10));
    mailbox.add(8, reply(2, 10));

    ReplyBatch first = mailbox.fetch(0, LONG);
    ReplyBatch again = mailbox.fetch(0, LONG);
    ReplyBatch rest = mailbox.fetch(7, LONG);
    ReplyBatch none = mailbox.fetch(8, 0);

    assertThat(first.replies()).extracting(LateReply::number).containsExactly(1L, 2L);
    assertThat(first.last()).isEqualTo(8);
    assertThat(again.replies()).isEqualTo(first.replies());
    assertThat(rest.replies()).extracting(LateReply::number).containsExactly(2L);
    assertThat(none.replies()).isEmpty();
    assertThat(none.last()).isEqualTo(8);
    assertThat(bytes).hasValue(0);
  }

  @Test
  void fetchReturnsWhenReplyComes() {
    CompletableFuture<ReplyBatch> fetched = fetchOnAnotherThread();
    Eventually.until("the fetch has begun", () -> mailbox.idleNanos() > 0 && !fetched.isDone());

    mailbox.add(1, reply(5, 10));

    assertThat(fetched.join().replies()).extracting(LateReply::number).containsExactly(5L);
  }

  @Test
  void fetchReturnsNothingWhenMailboxCloses() {
    CompletableFuture<ReplyBatch> fetched = fetchOnAnotherThread();

    mailbox.close();

    assertThat(fetched.join().replies()).isEmpty();
  }

  @Test
  void batchEndsWhenItIsFull() throws InterruptedException {
    for (int i = 1; i <= 3; i++) {
      mailbox.add(i, reply(i, (int) ReplyBatch.FULL / 2));
    }

    ReplyBatch batch = mailbox.fetch(0, LONG);

    assertThat(batch.replies()).hasSize(2);
    assertThat(mailbox.fetch(batch.last(), LONG).replies())
        .extracting(LateReply::number)
        .containsExactly(3L);
  }

  private CompletableFuture<ReplyBatch> fetchOnAnotherThread() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return mailbox.fetch(0, LONG);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }
}
