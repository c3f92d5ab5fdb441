package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class WorkerTest {
  private static String name(String given) {
    return new Worker(given, 1, new UUID(1, 1)).name();
  }

  @Test
  void nameStaysInOneLineOfTheLogWhenAPeerForgesIt() {
    assertThat(name("c\n2026-01-01 ERROR all\r is lost\u0085\u2028\u2029\u001b[31m\t"))
        .isEqualTo("c?2026-01-01 ERROR all? is lost????[31m?");
  }

  @Test
  void nameStaysAsItIsWithoutControlCharacters() {
    assertThat(name("w-1:\u00fc_2 \"x\"")).isEqualTo("w-1:\u00fc_2 \"x\"");
  }
}
