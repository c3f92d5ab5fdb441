package io.hazelgrad.autograd.internal.initiator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Until when an aborted pass is remembered. */
class AbortNoticesTest {
  private static final long FAR = 100;

  private final AbortNotices aborts = new AbortNotices();

  @Test
  void abortIsSettledOnceWhenAllHaveHeard() {
    aborts.add(1, List.of(7L, 8L));
    aborts.told(Set.of(1L), Set.of(7L));
    assertThat(aborts.settled(FAR)).isEmpty();
    assertThat(aborts.workers()).containsExactly(8L);
    aborts.told(Set.of(1L), Set.of(8L));
    assertThat(aborts.settled(FAR)).containsExactly(1L);
    assertThat(aborts.settled(FAR)).isEmpty();
    assertThat(aborts.isEmpty()).isTrue();
  }

  @Test
  void acknowledgementsAreForTheirPassOnly() {
    aborts.add(1, List.of(7L));
    aborts.add(2, List.of(7L));
    aborts.told(Set.of(1L), Set.of(7L));
    assertThat(aborts.settled(FAR)).containsExactly(1L);
    assertThat(aborts.passes()).containsExactly(2L);
    assertThat(aborts.workers()).containsExactly(7L);
  }

  @Test
  void abortIsSettledWithoutLostWorkers() {
    aborts.add(1, List.of(7L, 8L));
    aborts.told(Set.of(1L), Set.of(8L));
    aborts.retain(Set.of(8L, 9L));
    assertThat(aborts.settled(FAR)).containsExactly(1L);
  }

  @Test
  void abortStaysUntilFloorHasPassedIt() {
    aborts.add(5, List.of());
    assertThat(aborts.settled(5)).isEmpty();
    assertThat(aborts.settled(6)).containsExactly(5L);
  }
}
