package io.hazelgrad.grid.internal.collective;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InboxTest {
  private static final Inbox.Part PART = new Inbox.Part(0, List.of());

  @SuppressWarnings("NullAway") // Only a wait uses the context.
  private final Inbox inbox = new Inbox(null, List.of());

  @Test
  void tensorsThatArriveAfterTheEndAreRefusedWithItsReason() {
    GridException why = new GridException(Status.CLOSED, "worker C has closed");
    inbox.fail(why);
    assertThatThrownBy(() -> inbox.put(1, 2, PART)).isSameAs(why);
  }

  @Test
  void tagThatWasNotReceivedYetIsRefused() {
    inbox.put(1, 2, PART);
    assertThatThrownBy(() -> inbox.put(1, 2, PART))
        .hasMessageContaining("the tensors that rank 1 sent with tag 2 before were not received");
  }
}
