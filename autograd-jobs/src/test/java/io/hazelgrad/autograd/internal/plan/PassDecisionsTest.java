package io.hazelgrad.autograd.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Decisions on an initiator's passes stay known in little space, and merge in any order. */
class PassDecisionsTest {
  private static final int PASSES = 12;

  @Test
  void passesCommittedInTurnTakeTwoNumbers() {
    PassDecisions decisions = PassDecisions.NONE;
    for (long pass = 1; pass <= 100; pass++) {
      decisions = decisions.commit(pass);
    }
    assertThat(bytes(decisions)).hasSize(2);
    assertThat(decisions.floor()).isEqualTo(101);
    assertThat(decisions.isCommitted(100)).isTrue();
    assertThat(decisions.isDecided(101)).isFalse();
    assertThat(decisions.isDecided(0)).isFalse();
  }

  @Test
  void decisionStands() {
    PassDecisions decisions = PassDecisions.NONE.commit(1).abort(2);
    assertThat(decisions.commit(1)).isEqualTo(decisions);
    assertThat(decisions.abort(2)).isEqualTo(decisions);
    assertThatThrownBy(() -> decisions.abort(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> decisions.commit(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> decisions.commit(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void commitWinsOverPresumedAbort() {
    PassDecisions committed = PassDecisions.NONE.commit(1);
    PassDecisions presumed = PassDecisions.NONE.abort(1).commit(2);
    assertThat(presumed.merge(committed).isCommitted(1)).isTrue();
    assertThat(presumed.merge(committed)).isEqualTo(committed.merge(presumed));
  }

  @Test
  void abortsAreForgottenWhenAllHaveHeard() {
    PassDecisions decisions = PassDecisions.NONE.abort(1).commit(2).abort(3).abort(5);
    PassDecisions forgotten = decisions.forget(List.of(1L, 3L, 5L));
    assertThat(forgotten.isDecided(1)).isTrue();
    assertThat(forgotten.isAborted(3)).isFalse();
    assertThat(forgotten.isAborted(5)).as("above the floor nothing else says so").isTrue();
    assertThat(forgotten.merge(decisions)).as("others forget it too").isEqualTo(forgotten);
    assertThat(decisions.merge(forgotten)).isEqualTo(forgotten);
    assertThat(bytes(forgotten.commit(4).forget(List.of(5L)))).hasSize(2);
  }

  @Test
  void decisionsMergeInAnyOrder() {
    Random random = new Random(1);
    List<Long> passes = new ArrayList<>();
    for (long pass = 1; pass <= PASSES; pass++) {
      passes.add(pass);
    }
    PassDecisions expected = decide(passes);
    for (int i = 0; i < 200; i++) {
      Collections.shuffle(passes, random);
      assertThat(decide(passes)).isEqualTo(expected);
    }
  }

  private static PassDecisions decide(List<Long> passes) {
    PassDecisions decisions = PassDecisions.NONE;
    for (long pass : passes) {
      decisions = pass % 3 == 0 ? decisions.abort(pass) : decisions.commit(pass);
    }
    return decisions;
  }

  @Test
  void mergeIsUnionInAnyOrder() {
    Random random = new Random(2);
    for (int i = 0; i < 5_000; i++) {
      PassDecisions a = random(random);
      PassDecisions b = random(random);
      PassDecisions c = random(random);
      PassDecisions both = a.merge(b);
      assertThat(both).isEqualTo(b.merge(a));
      assertThat(both.merge(c)).isEqualTo(a.merge(b.merge(c)));
      assertThat(both.merge(a)).isEqualTo(both);
      assertThat(a.merge(a)).isEqualTo(a);
      assertThat(a.merge(PassDecisions.NONE)).isEqualTo(a);
      for (long pass = 1; pass <= PASSES + 1; pass++) {
        assertThat(both.isCommitted(pass)).isEqualTo(a.isCommitted(pass) || b.isCommitted(pass));
        assertThat(both.isDecided(pass)).isEqualTo(a.isDecided(pass) || b.isDecided(pass));
      }
      assertThat(PassDecisions.read(new WireInput(bytes(both)))).isEqualTo(both);
    }
  }

  /** Any state of knowledge, contradictions with others included. */
  private static PassDecisions random(Random random) {
    PassDecisions decisions = PassDecisions.NONE;
    for (int i = random.nextInt(2 * PASSES); i > 0; i--) {
      long pass = 1L + random.nextInt(PASSES);
      if (!decisions.isDecided(pass)) {
        decisions = random.nextInt(3) == 0 ? decisions.abort(pass) : decisions.commit(pass);
      }
    }
    return decisions;
  }

  private static byte[] bytes(PassDecisions decisions) {
    WireOutput out = new WireOutput();
    decisions.write(out);
    return out.toBytes();
  }
}
