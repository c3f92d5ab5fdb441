package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaneConfigTest {
  @ParameterizedTest
  @ValueSource(ints = {PlaneConfig.NO_PORT, 0, 1, 65_535})
  void portIsTakenWhenValid(int port) {
    assertThat(PlaneConfig.defaults().withPort(port).port()).isEqualTo(port);
  }

  @ParameterizedTest
  @ValueSource(ints = {-2, 65_536})
  void portIsRefusedWhenInvalid(int port) {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> PlaneConfig.defaults().withPort(port))
        .matches(e -> e.status() == Status.BAD_CONFIG)
        .withMessageContaining("port must be")
        .withMessageContaining("" + port);
  }

  @Test
  void settingsChangeOneAtATime() {
    PlaneConfig config = PlaneConfig.defaults().withPort(7).withInlineBytes(5).withSharedBytes(9);
    assertThat(config.withIncomingBytes(3))
        .isEqualTo(new PlaneConfig(PlaneConfig.defaults().directory(), 9, 5, 3, 7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"port", "inline-bytes"})
  void systemPropertyIsRefusedWhenTooLarge(String name) {
    String property = "hazelgrad.plane." + name;
    System.setProperty(property, "3000000000");
    try {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(PlaneConfig::defaults)
          .matches(e -> e.status() == Status.BAD_CONFIG)
          .withMessageContaining(property)
          .withMessageContaining("3000000000");
    } finally {
      System.clearProperty(property);
    }
  }
}
