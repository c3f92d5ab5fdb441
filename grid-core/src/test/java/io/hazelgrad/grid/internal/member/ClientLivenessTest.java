package io.hazelgrad.grid.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClientLivenessTest {
  private static final Worker ONE = new Worker("one", 1, new UUID(0, 1));
  private static final Worker TWO = new Worker("two", 2, new UUID(0, 2));
  private static final Set<UUID> NOBODY = Set.of();

  private final ClientLiveness watch = new ClientLiveness(Duration.ofNanos(10));

  private List<Worker> look(long now, Set<UUID> connected) {
    return watch.look(List.of(ONE, TWO), connected, true, now);
  }

  @Test
  void clientIsLostWhenUnconnectedForWholeGrace() {
    assertThat(look(-5, Set.of(ONE.incarnation(), TWO.incarnation()))).isEmpty();
    assertThat(look(0, Set.of(TWO.incarnation()))).isEmpty();
    assertThat(look(4, Set.of(TWO.incarnation()))).isEmpty();
    assertThat(look(5, Set.of(TWO.incarnation()))).containsExactly(ONE);
  }

  @Test
  void graceRestartsWhenClientConnects() {
    assertThat(look(0, Set.of(ONE.incarnation(), TWO.incarnation()))).isEmpty();
    assertThat(look(9, Set.of(ONE.incarnation()))).isEmpty();
    assertThat(look(18, NOBODY)).containsExactly(TWO);
    assertThat(look(19, NOBODY)).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void clientHasGraceWhenNeverSeen() {
    assertThat(look(100, NOBODY)).isEmpty();
    assertThat(look(109, NOBODY)).isEmpty();
    assertThat(look(110, NOBODY)).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void clientIsKeptWhileMemberIsSilent() {
    assertThat(look(0, NOBODY)).isEmpty();
    assertThat(watch.look(List.of(ONE, TWO), Set.of(ONE.incarnation()), false, 9)).isEmpty();
    assertThat(look(18, NOBODY)).isEmpty();
    assertThat(look(19, NOBODY)).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void graceRestartsWhenAnotherMemberDecides() {
    assertThat(look(0, NOBODY)).isEmpty();
    watch.rest();
    assertThat(look(9, NOBODY)).isEmpty();
    assertThat(look(18, NOBODY)).isEmpty();
    assertThat(look(19, NOBODY)).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void graceRestartsWhenMemberPausedForWholeGrace() {
    assertThat(look(0, Set.of(ONE.incarnation(), TWO.incarnation()))).isEmpty();
    assertThat(look(1000, NOBODY)).isEmpty();
    assertThat(look(1009, NOBODY)).isEmpty();
    assertThat(look(1010, NOBODY)).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void clientIsForgottenWhenItLeft() {
    assertThat(look(0, NOBODY)).isEmpty();
    assertThat(watch.look(List.of(TWO), NOBODY, true, 5)).isEmpty();
    assertThat(look(10, NOBODY)).containsExactly(TWO);
  }
}
