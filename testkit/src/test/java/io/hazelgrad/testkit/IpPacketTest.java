package io.hazelgrad.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The packets that end connections, and the ranges of qualities. */
class IpPacketTest {
  private static final int CLIENT = 0xc6120002;
  private static final int SERVER = 0xc6120003;

  private static IpPacket packet(int flags) {
    ByteBuffer bytes = ByteBuffer.allocate(60);
    bytes.put(0, (byte) 0x45).put(9, (byte) 6).putInt(12, CLIENT).putInt(16, SERVER);
    bytes.putShort(20, (short) 40_000).putShort(22, (short) 7001);
    bytes.putInt(24, 1_000).putInt(28, 2_000).put(33, (byte) flags);
    return new IpPacket(bytes);
  }

  /** Returns the sum of a checked part, which is all ones if its checksum is right. */
  private static int sum(ByteBuffer bytes, int from, int to, int start) {
    int sum = start;
    for (int i = from; i < to; i += 2) {
      sum += Short.toUnsignedInt(bytes.getShort(i));
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
  }

  @Test
  void resetOfReceiverComesFromTheSenderWithItsNumber() {
    ByteBuffer reset = ByteBuffer.wrap(packet(16).resetOfReceiver());
    assertThat(reset.getInt(12)).isEqualTo(CLIENT);
    assertThat(reset.getInt(16)).isEqualTo(SERVER);
    assertThat(reset.getInt(24)).isEqualTo(1_000);
    assertThat(new IpPacket(reset).isReset()).isTrue();
    assertThat(sum(reset, 0, 20, 0)).isEqualTo(0xffff);
    assertThat(sum(reset, 12, 40, 6 + 20)).isEqualTo(0xffff);
  }

  @Test
  void resetOfSenderHasTheNumberThatTheSenderExpects() {
    ByteBuffer reset = ByteBuffer.wrap(packet(16).resetOfSender());
    assertThat(reset.getInt(12)).isEqualTo(SERVER);
    assertThat(reset.getShort(22)).isEqualTo((short) 40_000);
    assertThat(reset.getInt(24)).isEqualTo(2_000);
    ByteBuffer ofSyn = ByteBuffer.wrap(packet(2).resetOfSender());
    assertThat(ofSyn.getInt(28)).as("it acknowledges the SYN").isEqualTo(1_001);
  }

  @Test
  void portIsFoundOnEitherSide() {
    assertThat(packet(16).hasPort(7001)).isTrue();
    assertThat(packet(16).hasPort(40_000)).isTrue();
    assertThat(packet(16).hasPort(7002)).isFalse();
  }

  @Test
  void qualityIsRefusedWhenOutOfRange() {
    assertThatThrownBy(() -> LinkQuality.PERFECT.withLoss(1.5)).hasMessageContaining("1.5");
    assertThatThrownBy(() -> LinkQuality.PERFECT.withDelay(Duration.ofMillis(-1), Duration.ZERO))
        .hasMessageContaining("PT-0.001S");
  }
}
