package io.hazelgrad.rref.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.internal.protocol.ForkId;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnerForkTest {
  private static final long START = 1_000_000_000L;
  private static final long PAUSE = OwnerFork.PAUSE.toNanos();
  private static final long CLIENT_LIMIT = OwnerFork.CLIENT_LIMIT.toNanos();
  private static final long ONE = 1;
  private static final long TWO = 2;

  private final OwnerFork keeper = new OwnerFork(ForkId.of(7, 1));

  @Test
  void holdersAreAskedTwice() {
    assertThat(keeper.isDue(START)).isTrue();
    assertThat(keeper.isOver(START)).isFalse();
    assertThat(keeper.isDue(START + PAUSE - 1)).as("not so soon").isFalse();
    assertThat(keeper.isDue(START + PAUSE)).isTrue();
    keeper.await(Set.of(), START + PAUSE);
    assertThat(keeper.isOver(START + PAUSE)).isTrue();
  }

  @Test
  void clientsAnswerEachTime() {
    Set<Long> living = Set.of(ONE, TWO);
    for (long now : new long[] {START, START + PAUSE}) {
      keeper.await(living, now);
      assertThat(keeper.awaitsAny(living, now)).isTrue();
      keeper.answered(ONE);
      assertThat(keeper.hasAnswered(ONE)).isTrue();
      assertThat(keeper.awaitsAny(living, now)).as("for the other one").isTrue();
      assertThat(keeper.awaitsAny(Set.of(ONE), now)).as("which has gone").isFalse();
      keeper.answered(TWO);
      assertThat(keeper.awaitsAny(living, now)).isFalse();
      assertThat(keeper.isOver(now)).isEqualTo(now > START);
    }
  }

  @Test
  void answerBetweenQuestionsDoesNotCount() {
    assertThat(keeper.isOver(START)).isFalse();
    keeper.answered(ONE);
    assertThat(keeper.hasAnswered(ONE)).isFalse();
  }

  @Test
  void holderIsNotAwaitedForeverWithoutAnswer() {
    keeper.await(Set.of(ONE), START);
    keeper.await(Set.of(ONE, TWO), START + 1);
    assertThat(keeper.awaitsAny(Set.of(TWO), START + 1)).as("it came later").isFalse();
    assertThat(keeper.awaitsAny(Set.of(ONE), START + CLIENT_LIMIT - 1)).isTrue();
    assertThat(keeper.isDue(START + CLIENT_LIMIT)).isTrue();
    assertThat(keeper.awaitsAny(Set.of(ONE), START + CLIENT_LIMIT)).isFalse();
  }
}
