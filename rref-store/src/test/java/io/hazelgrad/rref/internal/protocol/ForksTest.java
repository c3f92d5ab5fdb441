package io.hazelgrad.rref.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ForksTest {

  @Test
  void forksBehaveLikeSortedMap() {
    Random random = new Random(1);
    Map<ForkId, Long> expected = new TreeMap<>();
    Forks forks = Forks.NONE;
    for (int step = 0; step < 20_000; step++) {
      ForkId fork = new ForkId(random.nextInt(3), random.nextInt(50), random.nextInt(2));
      assertThat(forks.contains(fork)).isEqualTo(expected.containsKey(fork));
      if (expected.remove(fork) != null) {
        forks = forks.minus(fork);
      } else {
        long holder = random.nextInt(5);
        expected.put(fork, holder);
        forks = forks.plus(fork, holder);
      }
      assertThat(forks.size()).isEqualTo(expected.size());
    }
    assertThat(forks.toList())
        .isEqualTo(
            expected.entrySet().stream()
                .map(each -> new Forks.Fork(each.getKey(), each.getValue()))
                .toList());
    assertThat(forks.holders()).hasSize(5);
    assertThat(forks.heldBy(2))
        .isEqualTo(expected.keySet().stream().filter(fork -> expected.get(fork) == 2).toList());
  }

  @Test
  void forksAreEqualInAnyOrderOfCreation() {
    List<ForkId> ids = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      ids.add(ForkId.of(3, i));
    }
    Forks forwards = of(ids);
    Collections.shuffle(ids, new Random(2));
    Forks shuffled = of(ids).plus(ForkId.of(9, 9), 1).minus(ForkId.of(9, 9));

    assertThat(shuffled).isEqualTo(forwards).hasSameHashCodeAs(forwards);
    assertThat(shuffled.minus(ForkId.of(3, 500))).isNotEqualTo(forwards);
  }

  @Test
  void forksAreImmutable() {
    Forks one = Forks.NONE.plus(ForkId.of(1, 1), 7);
    Forks two = one.plus(ForkId.of(1, 2), 7);
    Forks none = one.minus(ForkId.of(1, 1));

    assertThat(one.size()).isEqualTo(1);
    assertThat(two.size()).isEqualTo(2);
    assertThat(none).isEqualTo(Forks.NONE);
  }

  @Test
  void forksRemoveOnlyTheirOwn() {
    assertThatThrownBy(() -> Forks.NONE.minus(ForkId.of(1, 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void forksRememberNewestReleases() {
    ReleasedForks released = ReleasedForks.NONE;
    for (int i = 0; i < 300; i++) {
      released = released.plus(ForkId.of(1, i)).plus(ForkId.of(1, i));
    }
    assertThat(released.newestLast()).hasSize(ReleasedForks.LIMIT);
    assertThat(released.contains(ForkId.of(1, 43))).isFalse();
    assertThat(released.contains(ForkId.of(1, 44))).isTrue();

    List<ForkId> many = new ArrayList<>();
    for (int i = 1_000; i < 2_000; i++) {
      many.add(ForkId.of(1, i));
    }
    released = released.plusAll(many);
    assertThat(released.newestLast()).containsExactlyElementsOf(many.subList(744, 1_000));
  }

  private static Forks of(List<ForkId> ids) {
    Forks forks = Forks.NONE;
    for (ForkId id : ids) {
      forks = forks.plus(id, id.sequence() % 5);
    }
    return forks;
  }
}
