package io.hazelgrad.autograd.internal.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import org.junit.jupiter.api.Test;

class ContextsTest {
  private static final long SELF = 1;
  private static final long OTHER = 2;

  private final Contexts contexts = new Contexts(SELF);

  private void assertClosed(ContextId id) {
    assertThatThrownBy(() -> contexts.find(id))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.CONTEXT_CLOSED))
        .hasMessageContaining(id.toString());
  }

  @Test
  void contextIsKnownAfterFirstMessage() {
    ContextId id = new ContextId(OTHER, 5);
    ContextState state = contexts.find(id);
    assertThat(contexts.find(id)).isSameAs(state);
    assertThat(contexts.count()).isEqualTo(1);
  }

  @Test
  void contextStaysClosedWhenMessageIsLate() {
    ContextId id = new ContextId(OTHER, 5);
    contexts.find(id);
    assertThat(contexts.close(id)).isNotNull();
    assertThat(contexts.close(id)).isNull();
    assertClosed(id);
    assertThat(contexts.count()).isZero();
  }

  @Test
  void contextIsClosedWhenCloseArrivesFirst() {
    ContextId id = new ContextId(OTHER, 5);
    assertThat(contexts.close(id)).isNull();
    assertClosed(id);
  }

  /** A closed context of another worker took the own one of the same number from the floor. */
  @Test
  void ownContextsStayOpenWhenAnotherWorkersIsClosed() {
    ContextState own = contexts.open();
    contexts.find(new ContextId(OTHER, own.id().sequence()));
    contexts.close(new ContextId(OTHER, own.id().sequence()));
    assertThat(contexts.floor(SELF)).isEqualTo(own.id().sequence());
    assertThat(contexts.find(own.id())).isSameAs(own);
  }

  @Test
  void contextStaysUnknownWhenOriginatorIsLost() {
    contexts.find(new ContextId(OTHER, 5));
    contexts.close(new ContextId(OTHER, 5));
    contexts.originatorLost(OTHER);
    assertClosed(new ContextId(OTHER, 5));
    assertClosed(new ContextId(OTHER, 6));
    assertThat(contexts.raiseFloor(OTHER, 7)).isEmpty();
    assertClosed(new ContextId(OTHER, 8));
    assertThat(contexts.rememberedCount()).isZero();
  }

  @Test
  void originatorOpensContextsAfterMistakenLoss() {
    contexts.find(new ContextId(OTHER, 5));
    contexts.find(new ContextId(OTHER, 6));
    contexts.close(new ContextId(OTHER, 6));
    contexts.originatorLost(OTHER);
    contexts.close(new ContextId(OTHER, 5));
    assertThat(contexts.lost()).containsExactly(OTHER);
    contexts.originatorLives(OTHER);
    assertThat(contexts.lost()).isEmpty();
    assertClosed(new ContextId(OTHER, 5));
    assertClosed(new ContextId(OTHER, 6));
    assertThat(contexts.find(new ContextId(OTHER, 7)).isOpen()).isTrue();
    assertThat(contexts.rememberedCount()).isZero();
  }

  @Test
  void lostOriginatorsAreForgottenInTime() {
    for (long client = 10; client < 10_010; client++) {
      contexts.find(new ContextId(client, 5));
      contexts.originatorLost(client);
      contexts.close(new ContextId(client, 5));
    }
    assertThat(contexts.lost()).hasSizeLessThanOrEqualTo(1_000).contains(10_009L);
    assertThat(contexts.floor(10)).isZero();
    assertThat(contexts.floor(10_009)).isEqualTo(6);
  }

  @Test
  void floorIsTheOldestOpenContext() {
    assertThat(contexts.floor(SELF)).isEqualTo(1);
    ContextState first = contexts.open();
    ContextState second = contexts.open();
    assertThat(contexts.floor(SELF)).isEqualTo(1);
    contexts.close(first.id());
    assertThat(contexts.floor(SELF)).isEqualTo(2);
    assertClosed(first.id());
    contexts.close(second.id());
    assertThat(contexts.floor(SELF)).isEqualTo(3);
  }

  @Test
  void contextsBelowFloorAreClosed() {
    contexts.find(new ContextId(OTHER, 1));
    contexts.find(new ContextId(OTHER, 2));
    contexts.find(new ContextId(3, 1));
    assertThat(contexts.raiseFloor(OTHER, 2)).containsExactly(new ContextId(OTHER, 1));
    assertThat(contexts.raiseFloor(OTHER, 2)).isEmpty();
    assertThat(contexts.raiseFloor(OTHER, 1)).isEmpty();
    contexts.close(new ContextId(OTHER, 1));
    assertClosed(new ContextId(OTHER, 1));
    assertThat(contexts.get(new ContextId(OTHER, 2))).isNotNull();
    assertThat(contexts.floor(OTHER)).isEqualTo(2);
  }

  /** Each own context left its id behind. */
  @Test
  void closedContextsAreForgotten() {
    for (int i = 1; i <= 1_000; i++) {
      contexts.close(contexts.open().id());
      contexts.raiseFloor(OTHER, i);
      contexts.find(new ContextId(OTHER, i));
      contexts.close(new ContextId(OTHER, i));
    }
    assertThat(contexts.rememberedCount()).isLessThanOrEqualTo(1);
    assertThat(contexts.count()).isZero();
  }
}
