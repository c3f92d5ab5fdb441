package io.hazelgrad.rref.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AwaitedCreationsTest {
  private final AwaitedCreations creations = new AwaitedCreations();

  @Test
  void creationsAreAwaitedAfterAwaitedOne() {
    assertThat(creations.isNext()).isFalse();

    creations.asked();

    assertThat(Stream.generate(creations::isNext).limit(2000).filter(isNext -> isNext))
        .hasSize(1000);
    assertThat(creations.isNext()).isFalse();
    creations.asked();
    assertThat(creations.isNext()).isTrue();
  }
}
